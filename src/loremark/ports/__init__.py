"""Layer 3: external services, one package each, with an interface, implementations and a built-in default."""
