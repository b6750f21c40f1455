"""The hook that coding agents and git call: spool, background flusher and briefing. Standard library only."""
