"""A plan and a Markdown file that a person edits, kept in step."""
