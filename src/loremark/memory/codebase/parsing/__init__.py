"""Parses source code: definitions, imports, entry points and data models."""
