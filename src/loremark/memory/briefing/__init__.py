"""The briefing: the few memories that matter for a task, as text for an agent."""
