"""The enrichment pipeline, which turns events into memory items: enrich, embed, dedup, drift_check.

Owns: candidates, vector_cache, items_to_embed, branch_commits, file_states. Emits: enrichment.started,
enrichment.completed, enrichment.failed.
"""
