"""Exchange with other tools: what they remember becomes events, and what we remember becomes files of theirs.

Readers are pure functions from files to notes. Every file is hostile: sizes are bounded, links are not followed out of
the folder, and secrets are taken out of whatever is read.
"""
