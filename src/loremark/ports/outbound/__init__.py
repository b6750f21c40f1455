"""Outbound calls to addresses that users name: guarded, pinned, bounded."""
