"""Reads commits, diffs and files of project repositories over HTTPS with a locked-down `git`."""
