"""The calls of the API, a module for each noun; each function makes one ``Call``."""
