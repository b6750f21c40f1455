"""What agents and git call: a spool on disk, a flusher in the background, the briefing. Standard library only."""
