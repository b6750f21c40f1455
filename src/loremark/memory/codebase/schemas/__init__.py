"""Reads schema languages: SQL, Prisma, Protocol Buffers, GraphQL, Rails schemas."""
