"""Packs the built dashboard, or unpacks one that was built from the same sources, so that Node is not needed.

``python dashboard/archive.py pack|unpack DIR``. The name of the archive contains a hash of the sources; ``unpack``
fails if the folder has none for these sources.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import shutil
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILT = "src/loremark/features/dashboard/built"
_GENERATED = "schema.d.ts"
_NAME_CHARS = 16


def archive_name(root: Path) -> str:
    """The file name for the dashboard of these sources."""
    hashed = hashlib.sha256()
    for path in _sources(root / "dashboard"):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        hashed.update(f"{path.relative_to(root).as_posix()}\0{content}\n".encode())
    return f"loremark-dashboard-{hashed.hexdigest()[:_NAME_CHARS]}.tar.gz"


def _sources(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.is_dir() and path.name not in ("node_modules", "__pycache__"):
            yield from _sources(path)
        elif path.is_file() and path.name != _GENERATED:
            yield path


def pack(root: Path, folder: Path) -> Path:
    """Write the built dashboard to an archive. The same files give the same archive."""
    target = folder / archive_name(root)
    folder.mkdir(parents=True, exist_ok=True)
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w") as archive:
        for path in sorted((root / BUILT).rglob("*")):
            if path.is_file():
                entry = tarfile.TarInfo(path.relative_to(root / BUILT).as_posix())
                entry.size = path.stat().st_size
                with path.open("rb") as file:
                    archive.addfile(entry, file)
    target.write_bytes(gzip.compress(plain.getvalue(), mtime=0))
    return target


def unpack(root: Path, folder: Path) -> bool:
    """Replace the built dashboard by the archived one for these sources. Returns False if there is none."""
    source = folder / archive_name(root)
    if not source.is_file():
        return False
    built = root / BUILT
    shutil.rmtree(built, ignore_errors=True)
    with tarfile.open(source) as archive:
        for entry in archive:
            parts = Path(entry.name).parts
            content = archive.extractfile(entry)
            if content is None or ".." in parts or Path(entry.name).is_absolute():
                raise ValueError(f"{source.name} contains {entry.name}, which is not a file of the dashboard")
            target = built.joinpath(*parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content.read())
    return True


def main(action: str, folder: str) -> int:
    if action == "pack":
        sys.stdout.write(f"{pack(ROOT, Path(folder))}\n")
        return 0
    return 0 if unpack(ROOT, Path(folder)) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
