"""Genesis: a project's repository read as a whole, phase by phase, and what it says made into memory.

Owns: scans, running_scans, scan_files, findings.
"""
