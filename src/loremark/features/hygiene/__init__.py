"""Hygiene: what could be tidied up in a project's memory is proposed, and what a person selects of it is done.

Owns: hygiene_plans. Tells: item.updated, item.deprecated.
"""
