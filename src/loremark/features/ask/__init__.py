"""Questions answered from the memory with their sources, as a stream.

Owns: answer_streams.
"""
