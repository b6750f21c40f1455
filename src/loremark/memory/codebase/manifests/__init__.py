"""Reads manifests, lock files and settings: dependencies, declared programs, configuration."""
