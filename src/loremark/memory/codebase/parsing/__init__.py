"""Source code by its syntax: what a file defines, imports and begins."""
