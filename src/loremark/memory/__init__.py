"""The pure core: plain values in, plain values out. No SQL, HTTP, clock or environment."""
