"""The tech stack: languages, frameworks and tools of a codebase, by their common names."""
