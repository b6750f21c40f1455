"""Security scan: rule matches per file, grouped into findings."""
