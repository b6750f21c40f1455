"""``python -m bench [name …]``: run all benchmarks, or the named ones."""

from __future__ import annotations

import sys

from bench import (
    amendments,
    ask,
    brain,
    cli,
    confidence,
    dashboard,
    embedding_mean,
    embeddings,
    enrichment,
    first_prompt,
    fit_item_classifier,
    fit_pair_weights,
    genesis,
    held_out_pairs,
    hook,
    ingest,
    noisy_neighbors,
    played_model,
    reads,
    real_projects,
    recall,
    retrieval,
    search,
    similar_words,
    worth,
)

# Quality, not speed, so not run by default. Most of these also write the weights they fit.
QUALITY = {
    "amendments": amendments.run,
    "confidence": confidence.run,
    "embedding-mean": embedding_mean.run,
    "item-classifier": fit_item_classifier.run,
    "worth": worth.run,
    "pair-weights": fit_pair_weights.run,
    "held-out-pairs": held_out_pairs.run,
    "similar-words": similar_words.run,
    "sde": first_prompt.run_sde,
    "scenarios": first_prompt.run_scenarios,
    "real-projects": real_projects.run,
    "played-model": played_model.run,
}
BENCHMARKS = {
    "reads": reads.run,
    "recall": recall.run,
    "ingest": ingest.run,
    "noisy-neighbors": noisy_neighbors.run,
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
        raise SystemExit(f"unknown benchmark: {', '.join(unknown)}; available: {', '.join(known)}")
    for name in names:
        known[name]()


if __name__ == "__main__":
    main()
