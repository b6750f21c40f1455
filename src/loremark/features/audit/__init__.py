"""The audit log: who did what, when, from where. Lowest of the features, since all of them record.

Owns: audit_entries. Entries are written in the transaction of what they record, and never changed.
"""
