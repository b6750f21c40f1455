"""The import graph of a codebase."""
