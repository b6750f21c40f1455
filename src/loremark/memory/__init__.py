"""Floor 4: the pure core. Plain values in, plain values out: no SQL, no HTTP, no clock, no environment."""
