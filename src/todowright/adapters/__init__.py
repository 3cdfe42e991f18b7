"""The plan inside other people's frameworks, one thin file each: `from todowright.adapters.langchain import PlanMiddleware`."""

__all__: list[str] = []
