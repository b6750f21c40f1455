"""What operators and tools ask of the service itself: health, figures, the description of the interface.

Owns no table. Open to anyone and outside the rate limit; tells nothing of any team.
"""
