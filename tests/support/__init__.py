"""Shared test support: databases on both engines, the service in-process or as real processes, and users."""
