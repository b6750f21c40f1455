"""Layer 0, imported by every other layer: settings, errors, limits, callers, ids, time, signatures, secrets, logs."""
