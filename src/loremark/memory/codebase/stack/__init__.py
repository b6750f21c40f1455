"""The tech stack: languages, frameworks and tools that a codebase is built with, named as people name them."""
