"""Reading: a language model reads a whole session and says what is worth remembering; every claim is verified.

The model may be the server's, or the developer's own coding agent. Both get the same prompts and the same checks.
"""
