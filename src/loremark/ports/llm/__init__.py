"""Language models: OpenAI-compatible servers and Anthropic, through their own SDKs; metered, bounded, retried."""
