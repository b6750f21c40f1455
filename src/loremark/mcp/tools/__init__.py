"""The tools, each with its arguments, its result, its words and what it does."""
