"""Language models with the APIs of OpenAI and Anthropic, with metering, limits and retries."""
