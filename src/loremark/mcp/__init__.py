"""The tool server for agents (Model Context Protocol): tools, resources and prompts over the typed client."""
