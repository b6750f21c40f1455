"""Floor 0: what everything stands on. Settings, errors, limits, callers, ids, time, signatures, secrets, logs."""
