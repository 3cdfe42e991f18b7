"""Which dialect fits a model: small tasks, nine stages each, and a judge who looks at the plan that stands.

`run` takes a function that asks the model, so nothing here knows how a model is reached.
"""
