"""The directory layout of a codebase: its main directories and their roles."""

from loremark.memory.codebase.layout.directories import Directory, main_directories

__all__ = ["Directory", "main_directories"]
