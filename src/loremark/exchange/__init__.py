"""Import from and export to other tools' formats.

Readers turn files into notes, which become events. Input files are untrusted: sizes are bounded, symlinks are not
followed out of the folder, and secrets are redacted.
"""
