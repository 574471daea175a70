"""All sites of a model that are probed, and those that are changed; what was measured is kept."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

from lingprobe.analysis.frame import ProbeRun
from lingprobe.analysis.statistics import describe_difference
from lingprobe.data._closure import digest_code, root_of
from lingprobe.data.abilities import PredictiveEncoder
from lingprobe.data.cache import cache_dir, recall_value, remember_value
from lingprobe.data.core import LayeredEncoder
from lingprobe.data.digests import digest_texts
from lingprobe.data.labels import Column, build_column
from lingprobe.encoders.sites import ModelSite, is_site
from lingprobe.experiment.keys import identify_encoder
from lingprobe.inside.erase.effect_cells import EffectCell, decide_use
from lingprobe.inside.erase.fitting import Method
from lingprobe.inside.erase.interventions import ERASED_CHANGE
from lingprobe.inside.erase.target import LayerInterventions, ProbedModel, read_task
from lingprobe.inside.heads.api import choose_pairs, probe_sites
from lingprobe.inside.heads.effects import SiteEffects, make_effect_runs
from lingprobe.inside.minimal.lm import LanguageModel

_DOSES = (0.5, 1.0, 2.0)
_PARTS = "mlp:*+attn:*+head:*.*"
_TIMED = 32  # sentences that are encoded for an estimate
_PASSES = 25  # for a site and draw: floors of what is erased, moved, scrubbed and exchanged
_UNKNOWN: Mapping[str, Any] = {
    "use": "",
    **dict.fromkeys(("use_margin", "use_after", "use_detectable"), math.nan),
    **dict.fromkeys(("erased_before", "erased_after"), math.nan),
    "erased_verdict": "",
}
"""What is known of a site that was not changed.

use             as `decide_use` says it
use_margin, use_after, use_detectable  nats: of the model as it is, moved to the other label, and
                the smallest effect that would have been found
erased_before, erased_after, erased_verdict  of a probe of the last layer, when it is erased
"""


class SearchDepth(NamedTuple):
    """How much is done: `draws` of each kind of floor, and at most `limit` examples."""

    method: Method
    draws: int
    probe: str
    limit: int | None


@dataclass(frozen=True)
class SiteSearch:
    """Where a task is in a model.

    task   its reference
    pairs  minimal pairs, '' for none
    """

    target: ProbedModel
    task: str
    pairs: str
    depth: SearchDepth

    @cached_property
    def blocks(self) -> int:
        """How many the model has."""
        every = self.target.encoder("all")
        assert isinstance(every, LayeredEncoder)
        return len(every.slots) - 1

    @property
    def sweeps(self) -> bool:
        """Whether all parts are ablated and patched: of a causal model with pairs."""
        model = self.target.model
        return bool(self.pairs) and isinstance(model, LanguageModel) and not model.is_masked

    @property
    def steps(self) -> int:
        """Of the bar."""
        return 4

    def estimate(self) -> str:
        """In a sentence how long it takes."""
        data = self.target.task.dataset
        some, encoder = data.sentences[:_TIMED], self.target.encoder("all")
        encoder.encode(some[:2])  # the model is loaded
        begun = time.perf_counter()
        encoder.encode(some)
        each = (time.perf_counter() - begun) / max(len(some), 1)
        read = len(data.rows("test"))
        swept = 0
        if self.pairs:
            paired = 2 * len(read_task(self.pairs, self.depth.limit).dataset)
            read += paired
            heads = self.target.encoder(_PARTS)
            assert isinstance(heads, LayeredEncoder)
            swept = 3 * len(heads.slots) * paired if self.sweeps else 0
        changed = (1 if self.sweeps else 3) * _PASSES * self.depth.draws * read
        minutes = each * (3 * len(data.sentences) + changed + swept) / 60
        return (
            f"{self.task} in {self.target.reference}: {self.blocks + 1} layers, their parts and"
            f" heads; about {max(minutes, 1):,.0f} min, less what is known already"
        )

    def run(self, tell: Callable[[int], object]) -> tuple[list[ProbeRun], dict[str, Any]]:
        """The probes of all sites with what is known of those that were changed, and of parts the
        margins without them; and what sentences say of the search.
        """
        probed = self._probe("all+mlp:*+attn:*", baselines="default")
        tell(1)
        heads = self._probe("head:*.*")
        tell(1)
        layer = self._choose(probed)
        block = max(int(layer), 1)
        sites = [layer] if self.sweeps else [layer, f"mlp:{block}", f"attn:{block}"]
        changed = correct_sites({site: self._change(site) for site in sites})
        tell(1)
        known = {site: summarize_site(cells) for site, cells in changed.items()}
        parts = [run for run in probed if run.keys["site"]]
        source, effects = self._sweep([*parts, *heads]) if self.sweeps else ("", [])
        tell(1)
        runs = [
            replace(run, extra={**_UNKNOWN, **known.get(run.keys["layer"], {})})
            for run in [*probed, *heads, *effects]
        ]
        facts = {
            "sites": sites,
            "has_pairs": bool(self.pairs),
            "sweeps": self.sweeps,
            "patch_source": source,
        }
        return runs, facts

    def _probe(self, layers: str, baselines: Literal["default", "none"] = "none") -> list[ProbeRun]:
        depth = self.depth
        return probe_sites(self.target, self.task, layers, depth.probe, depth.limit, baselines)

    def _choose(self, runs: Sequence[ProbeRun]) -> str:
        """The layer that is best on dev, of those that another one reads; the first of equals."""
        scores: dict[str, list[float]] = {}
        for run in runs:
            name = run.keys["layer"]
            if run.keys["role"] == "trained" and name.isdecimal() and int(name) < self.blocks:
                scores.setdefault(name, []).append(run.values["dev_score"])
        return max(scores, key=lambda name: sum(scores[name]) / len(scores[name]))

    def _change(self, site: str) -> list[EffectCell]:
        """What changes of a site do, measured now or before."""
        key = self._key("change", site, f"{self.depth}", digest_code(_CHANGE_CODE))
        if (before := recall_value(self._folder, key)) is not None:
            return [EffectCell(**cell) for cell in before]
        how = LayerInterventions(
            site, _DOSES, self.depth.method, self.depth.draws, self.depth.probe
        )
        pairs = self.pairs if isinstance(self.target.model, PredictiveEncoder) else ""
        cells = how.measure(self.target, pairs, self.depth.limit, lambda steps: None).cells
        remember_value(self._folder, key, [asdict(cell) for cell in cells])
        return cells

    def _sweep(self, parts: Sequence[ProbeRun]) -> tuple[str, list[ProbeRun]]:
        """By what parts are patched, and the margins of pairs when each is changed, as rows."""
        effects = replace(choose_pairs(self.target, self.pairs, self.depth.limit), layers=_PARTS)
        key = self._key("parts", digest_code(_SWEEP_CODE))
        if (before := recall_value(self._folder, key)) is not None:
            source, numbers = before
        else:
            source, found = effects.measure(lambda steps: None)
            numbers = {
                site: {change: _list_numbers(each) for change, each in margins.items()}
                for site, margins in found.items()
            }
            remember_value(self._folder, key, [source, numbers])
        margins = {
            site: {change: build_column(each) for change, each in changes.items()}
            for site, changes in numbers.items()
        }
        return source, list(make_effect_runs(parts, margins, effects.pairs.data))

    @property
    def _folder(self) -> Any:
        return cache_dir() / "effects"

    def _key(self, *more: str) -> str:
        """What stands for a measurement of the model and the task."""
        asked, encoder = self.target.asking("all"), self.target.encoder("all")
        known = identify_encoder(asked if isinstance(asked, str) else None, encoder)
        made_of = [str(known), self.target.reference, str(self.target.task.identity)]
        if self.pairs:
            made_of.append(str(read_task(self.pairs, self.depth.limit).identity))
        return digest_texts(*made_of, str(self.depth.limit), *more)


_CHANGE_CODE, _SWEEP_CODE = root_of(LayerInterventions), root_of(SiteEffects)


def _list_numbers(values: Column) -> list[float]:
    assert values.numbers is not None
    return [float(value) for value in values.numbers]


def correct_sites(changed: Mapping[str, Sequence[EffectCell]]) -> dict[str, list[EffectCell]]:
    """Effects corrected for all sites (Bonferroni): with p values that are corrected within each,
    so that all are one family.
    """
    many = len(changed)
    return {
        site: [
            replace(
                cell,
                beyond_p=min(1.0, many * cell.beyond_p),
                own_p=min(1.0, many * cell.own_p),
                label_p=min(1.0, many * cell.label_p),
                constant_p=min(1.0, many * cell.constant_p),
                verdict=cell.verdict
                and describe_difference(cell.beyond, min(1.0, many * cell.beyond_p)),
            )
            for cell in cells
        ]
        for site, cells in changed.items()
    }


def summarize_site(cells: Sequence[EffectCell]) -> dict[str, Any]:
    """Whether the model uses a site, and which effect would have been found: what is known of it by
    its effects, with what a probe of the last layer loses when it is erased.
    """
    use, told = decide_use(cells)
    known = {**_UNKNOWN, "use": use}
    if told is not None:
        known |= {
            "use_margin": told.before,
            "use_after": told.after,
            "use_detectable": told.detectable,
        }
    erased = [c for c in cells if c.measured.startswith("layer") and c.change == ERASED_CHANGE]
    if erased:
        last = erased[-1]
        known |= {
            "erased_before": last.before,
            "erased_after": last.after,
            "erased_verdict": last.verdict,
        }
    return known


def describe_site(name: str) -> tuple[int, str]:
    """The block of a site, or the number of a layer, and what the site is called within it."""
    if not is_site(name):
        return int(name) if name.isdecimal() else -1, "residual"
    site = ModelSite.parse(name)
    return site.block, f"head {site.head}" if site.head else site.kind
