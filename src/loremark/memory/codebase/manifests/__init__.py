"""Manifests and lock files of many ecosystems: what a project needs, what it declares to run, how it is set up."""
