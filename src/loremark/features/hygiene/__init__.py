"""Hygiene: proposes cleanup actions for a project's memory and applies those a user selects.

Owns: hygiene_plans. Emits: item.updated, item.deprecated.
"""
