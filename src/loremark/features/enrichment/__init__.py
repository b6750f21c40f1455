"""The pipeline from events to memory: enrich, embed, dedup, drift_check.

Owns: candidates, vector_cache, items_to_embed, branch_commits, file_states. Tells: enrichment.started,
enrichment.completed, enrichment.failed.
"""
