"""Genesis: scans a project's repository in phases and turns the findings into memory.

Owns: scans, running_scans, scan_files, findings.
"""
