"""shell: the tool as a command line's word, with standard output, standard error and exit code."""

from todowright.dialects.call import Call, Reply
from todowright.dialects.field import Field
from todowright.dialects.list_dialect import ListDialect
from todowright.dialects.render import marked
from todowright.errors import Issue
from todowright.plan.model import Plan
from todowright.text import told

USAGE = """Usage: TodoWrite '{"todos":[...]}'"""
LONG_USAGE = (
    """Usage: TodoWrite '{"todos":[{"content":"...","activeForm":"...","status":"pending"}]}'"""
)


def result(stdout: str = "", stderr: str = "", exit_code: int = 0) -> dict[str, str | int]:
    return {"stdout": stdout, "stderr": stderr, "exitCode": exit_code}


def accept(dialect: ListDialect, plan: Plan, call: Call) -> Reply:
    count = [todo.status for todo in plan.todos].count
    done, started, pending = count("completed"), count("in_progress"), count("pending")
    stdout = f"Todo list updated: {done} completed, {started} in_progress, {pending} pending"
    return Reply(stdout, "\n".join(marked(dialect, plan)), result(stdout))


def reject(dialect: ListDialect, issues: tuple[Issue, ...], call: Call) -> Reply:
    lines = [dialect.say(issue) for issue in issues]
    if lines[0].startswith("- "):
        lines.insert(0, "Error: Validation failed")
    stderr, display = told("\n".join(lines).split("\n"))
    return Reply(stderr, display, result(stderr=stderr, exit_code=1), is_error=True, issues=issues)


def annotate(dialect: ListDialect, reply: Reply, note: str) -> Reply:
    said, shown = told([note])
    text, display = f"{reply.text}\n{said}", f"{reply.display}\n{shown}"
    data = result(stderr=text, exit_code=1) if reply.is_error else result(text)
    return Reply(text, display, data, reply.is_error, reply.issues)


DIALECT = ListDialect(
    name="shell",
    description="Shell command: TodoWrite '<json>' replaces the task list. TodoWrite -h explains.",
    fields=(Field("content"), Field("active_form", "activeForm"), Field("status")),
    json_text=True,
    max_items=50,
    max_length=200,
    report="all",
    environment={"max_items": "TODO_MAX_ITEMS", "max_length": "TODO_MAX_CONTENT_LENGTH"},
    phrases={
        "no_argument": "Error: Missing JSON parameter\n"
        + USAGE.replace("{", "{{").replace("}", "}}"),
        "not_json": "Error: Invalid JSON format\n"
        + LONG_USAGE.replace("{", "{{").replace("}", "}}"),
        "tool": "Error: Unknown command '{got}'",
        "type": "- {path}: Expected {expected}, received {kind}",
        "missing": "- {path}: Required",
        "other_key": "- {path}: Required",
        "blank": "- {path}: Cannot be blank",
        "too_long": "- {path}: Must be at most {limit} characters",
        "unicode": "- {path}: Must be valid Unicode",
        "status": "- {path}: Expected 'pending' | 'in_progress' | 'completed', received {received}",
        "unknown": "- {path}: Unrecognized key(s): {got}",
        "too_many": "- {path}: Too many items (max {limit})",
        "focus": "- {path}: Too many in_progress items (max {limit})",
        "environment": "Error: {path} must be a positive integer, received '{got}'",
        "internal": "Error: The list could not be kept ({got}); the one before it stands",
    },
    marks={"completed": "✓", "in_progress": "●", "pending": "○"},
    accept=accept,
    reject=reject,
    annotate=annotate,
    prompt_file="shell.md",
)
