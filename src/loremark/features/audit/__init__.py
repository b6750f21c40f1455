"""The audit log: who did what, when, and from where. The lowest feature, because all others record to it.

Owns: audit_entries. Entries are written in the same transaction as the action and never change.
"""
