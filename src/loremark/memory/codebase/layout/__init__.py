"""How a codebase is laid out: its main directories and what each is for."""

from loremark.memory.codebase.layout.directories import Directory, main_directories

__all__ = ["Directory", "main_directories"]
