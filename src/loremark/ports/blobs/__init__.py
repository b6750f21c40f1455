"""Blob storage: large texts by hash, in local files or S3."""
