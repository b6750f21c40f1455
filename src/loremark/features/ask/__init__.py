"""Ask: answers questions from memory, with sources, as a stream.

Owns: answer_streams.
"""
