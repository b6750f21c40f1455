"""The pipeline from events to memory: enrich, embed, dedup, drift_check.

Tables: candidates, item_vectors, vector_cache, branch_commits, file_states. Emits enrichment.started,
enrichment.completed, enrichment.failed.
"""
