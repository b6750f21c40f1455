"""Hygiene: rules that propose how to tidy a memory. They change nothing themselves."""
