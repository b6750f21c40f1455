"""The pipeline from events to memory: enrich, embed, dedup, drift_check.

Owns: candidates, item_vectors, vector_cache, branch_commits, file_states. Tells: enrichment.started,
enrichment.completed, enrichment.failed.
"""
