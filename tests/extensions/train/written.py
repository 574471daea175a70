"""Files that tests of reading texts write."""


def written(tmp_path, **texts):
    """Files of these texts, each named by its key: `a_tsv` is a.tsv."""
    paths = []
    for name, text in texts.items():
        path = tmp_path / name.replace("_", ".")
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        paths.append(path)
    return paths
