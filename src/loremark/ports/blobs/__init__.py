"""Blobs: large texts by their hash, in local files or an S3-compatible store."""
