"""Operations endpoints: health, readiness, metrics and API documentation.

Owns no table. Open to anyone, exempt from the rate limit, and free of team data.
"""
