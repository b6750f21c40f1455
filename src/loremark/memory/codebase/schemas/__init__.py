"""Data models by the languages that describe nothing else: SQL, Prisma, Protocol Buffers, GraphQL, Rails schemas."""
