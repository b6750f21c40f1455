"""Episodic recall: what was said in sessions and commits, and which part of it matters for a task."""
