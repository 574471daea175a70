"""The sizes of an ELMo (Peters et al. 2018), as its options file says them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lingprobe.extend import report_damage
from lingprobe_extensions.archive.files import digest_of, json_file
from lingprobe_extensions.archive.sources import ELMO_SOURCE

ELMO_SIZES = "the sizes of an ELMo; options=FILE names another"
_CHARACTERS = 261  # bytes, the marks of a sentence and of a word, and padding


@dataclass(frozen=True)
class ElmoShape:
    """The sizes of an ELMo, as its options file says them.

    filters     convolutions over characters: how wide each is, and how many numbers it gives
    longest     characters of a word with its marks
    characters  numbers of the vector of a character
    tanh        whether convolutions end in tanh, else in max(0, x)
    clips       how large a number of the cell and of the projection can be, 0 for no limit
    """

    filters: tuple[tuple[int, int], ...]
    longest: int
    characters: int
    tanh: bool
    highways: int
    layers: int
    cell: int
    projection: int
    clips: tuple[float, float]
    skips: bool

    @property
    def datasets(self) -> dict[str, tuple[int, ...]]:
        """The shape of each array of the file of weights."""
        wide = sum(many for _, many in self.filters)
        shapes: dict[str, tuple[int, ...]] = {"char_embed": (_CHARACTERS, self.characters)}
        for i, (width, many) in enumerate(self.filters):
            shapes[f"CNN/W_cnn_{i}"] = (1, width, self.characters, many)
            shapes[f"CNN/b_cnn_{i}"] = (many,)
        for i in range(self.highways):
            for part in ("carry", "transform"):
                shapes[f"CNN_high_{i}/W_{part}"] = (wide, wide)
                shapes[f"CNN_high_{i}/b_{part}"] = (wide,)
        if wide != self.projection:
            shapes |= {
                "CNN_proj/W_proj": (wide, self.projection),
                "CNN_proj/b_proj": (self.projection,),
            }
        for cell in self.cells:
            shapes[f"{cell}/W_0"] = (2 * self.projection, 4 * self.cell)
            shapes[f"{cell}/B"] = (4 * self.cell,)
            if self.projection != self.cell:
                shapes[f"{cell}/W_P_0"] = (self.cell, self.projection)
        return shapes

    @property
    def cells(self) -> list[str]:
        """Where the weights of each LSTM lie: forward from the lowest layer, then backward."""
        return [
            f"RNN_{way}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"
            for way in (0, 1)
            for layer in range(self.layers)
        ]


def read_elmo_shape(options: Path) -> ElmoShape:
    """The sizes that an options file says."""
    digest_of(options, ELMO_SIZES, ELMO_SOURCE)
    said = json_file(options, "the sizes of an ELMo")
    with report_damage(options, "the sizes of an ELMo"):
        cnn, lstm = said["char_cnn"], said["lstm"]
        return ElmoShape(
            tuple((int(width), int(many)) for width, many in cnn["filters"]),
            int(cnn["max_characters_per_token"]),
            int(cnn["embedding"]["dim"]),
            cnn.get("activation") == "tanh",
            int(cnn.get("n_highway") or 0),
            int(lstm.get("n_layers", 1)),
            int(lstm["dim"]),
            int(lstm["projection_dim"]),
            (float(lstm.get("cell_clip") or 0), float(lstm.get("proj_clip") or 0)),
            bool(lstm.get("use_skip_connections")),
        )
