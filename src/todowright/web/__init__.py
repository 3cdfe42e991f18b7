"""The live board, its JSON API and the MCP endpoint on one port. Needs `pip install 'todowright[serve]'`."""
