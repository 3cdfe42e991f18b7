"""A plan in each framework: `python -m examples.with_langchain`, or the file itself. Without `--model` a scripted model plays."""
