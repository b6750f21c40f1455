"""Language models through the OpenAI and Anthropic SDKs, with metering, limits and retries."""
