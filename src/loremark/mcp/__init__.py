"""The MCP server for agents: tools, resources and prompts on top of the typed client."""
