"""A codebase, read without a model: file by file, then all together, then what a newcomer should know."""
