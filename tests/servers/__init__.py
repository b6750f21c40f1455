"""Real servers (PostgreSQL with pgvector, Redis, SMTP and others) that the tests start and stop."""
