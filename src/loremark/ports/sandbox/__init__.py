"""Sandbox: work on what strangers wrote, in a child process that may hang, swell or crash without harm to us."""
