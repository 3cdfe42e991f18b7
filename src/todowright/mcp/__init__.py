"""The plan tool for every host that speaks MCP. Needs `pip install 'todowright[serve]'`."""
