"""Coverage-guided fuzzing of everything that decodes or parses what others wrote (``make fuzz``)."""
