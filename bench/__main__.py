"""``python -m bench [name …]``: all benchmarks, or the named ones."""

from __future__ import annotations

import sys

from bench import (
    answers,
    ask,
    brain,
    centre,
    cli,
    dashboard,
    embeddings,
    enrichment,
    genesis,
    hook,
    ingest,
    judgement,
    neighbours,
    pairs,
    reads,
    retrieval,
    search,
    unseen,
)
from bench import retrieval_nearby as nearby

# Not among them: what is about quality and not speed. Most of it also writes the weights it has fitted.
QUALITY = {
    "answers": answers.run,
    "centre": centre.run,
    "judgement": judgement.run,
    "pairs": pairs.run,
    "unseen": unseen.run,
    "nearby": nearby.run,
}
BENCHMARKS = {
    "reads": reads.run,
    "ingest": ingest.run,
    "neighbours": neighbours.run,
    "growth": ingest.run_growth,
    "enrichment": enrichment.run,
    "embeddings": embeddings.run,
    "ask": ask.run,
    "search": search.run,
    "retrieval": retrieval.run,
    "brain": brain.run,
    "genesis": genesis.run,
    "cli": cli.run,
    "hook": hook.run,
    "dashboard": dashboard.run,
}


def main() -> None:
    names = sys.argv[1:] or list(BENCHMARKS)
    known = BENCHMARKS | QUALITY
    unknown = [name for name in names if name not in known]
    if unknown:
        raise SystemExit(f"no benchmark called {', '.join(unknown)}; there are: {', '.join(known)}")
    for name in names:
        known[name]()


if __name__ == "__main__":
    main()
