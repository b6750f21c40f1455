"""Recall: the turns of sessions and commits, indexed as they arrive and searched as they were said.

Owns: turns, turn_index, turns_to_embed, recall_versions.
"""
