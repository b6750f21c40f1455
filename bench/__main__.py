"""``python -m bench [name …]``: all benchmarks, or the named ones."""

from __future__ import annotations

import sys

from bench import embeddings, enrichment, ingest, neighbours, reads

BENCHMARKS = {
    "reads": reads.run,
    "ingest": ingest.run,
    "neighbours": neighbours.run,
    "growth": ingest.run_growth,
    "enrichment": enrichment.run,
    "embeddings": embeddings.run,
}


def main() -> None:
    names = sys.argv[1:] or list(BENCHMARKS)
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        raise SystemExit(f"no benchmark called {', '.join(unknown)}; there are: {', '.join(BENCHMARKS)}")
    for name in names:
        BENCHMARKS[name]()


if __name__ == "__main__":
    main()
