"""Real servers (PostgreSQL with pgvector, Redis, SMTP) which the tests start and stop by themselves."""
