"""The Python of documents 003 and 004 as it is printed, word for word. The tests run it."""

DEFINITION = """\
{
    "name": "TodoWrite",
    "description": "Update the task list. Use to plan and track progress.",
    "input_schema": {
        "type": "object",
        "properties": {
            "items": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "content": {"type": "string", "description": "Task description"},
                        "status": {
                            "type": "string",
                            "enum": ["pending", "in_progress", "completed"]
                        },
                        "activeForm": {
                            "type": "string",
                            "description": "Present tense action, e.g. 'Reading files'"
                        },
                    },
                    "required": ["content", "status", "activeForm"],
                },
            }
        },
        "required": ["items"],
    },
}
"""

TODO_MANAGER = """\
class TodoManager:
    def __init__(self):
        self.items = []

    def update(self, items: list) -> str:
        validated = []
        in_progress_count = 0

        for i, item in enumerate(items):
            content = str(item.get("content", "")).strip()
            status = str(item.get("status", "pending")).lower()
            active_form = str(item.get("activeForm", "")).strip()

            if not content:
                raise ValueError(f"Item {i}: content required")
            if status not in ("pending", "in_progress", "completed"):
                raise ValueError(f"Item {i}: invalid status '{status}'")
            if not active_form:
                raise ValueError(f"Item {i}: activeForm required")

            if status == "in_progress":
                in_progress_count += 1

            validated.append({
                "content": content,
                "status": status,
                "activeForm": active_form
            })

        if len(validated) > 20:
            raise ValueError("Max 20 todos allowed")
        if in_progress_count > 1:
            raise ValueError("Only one task can be in_progress at a time")

        self.items = validated
        return self.render()
"""

RENDER = """\
def render(self) -> str:
    if not self.items:
        return "No todos."

    lines = []
    for item in self.items:
        if item["status"] == "completed":
            lines.append(f"[x] {item['content']}")
        elif item["status"] == "in_progress":
            lines.append(f"[>] {item['content']} <- {item['activeForm']}")
        else:
            lines.append(f"[ ] {item['content']}")

    completed = sum(1 for t in self.items if t["status"] == "completed")
    lines.append(f"\\n({completed}/{len(self.items)} completed)")

    return "\\n".join(lines)
"""

REMINDERS = """\
INITIAL_REMINDER = "<reminder>Use TodoWrite for multi-step tasks.</reminder>"
NAG_REMINDER = "<reminder>10+ turns without todo update. Please update todos.</reminder>"
"""

FIRST_MESSAGE = """\
if first_message:
    content.append({"type": "text", "text": INITIAL_REMINDER})
    first_message = False
"""

COUNTING = """\
rounds_without_todo = 0

def agent_loop(messages: list) -> list:
    global rounds_without_todo

    while True:
        # ... API 调用和工具执行 ...

        if used_todo:
            rounds_without_todo = 0
        else:
            rounds_without_todo += 1

        # 连续 10 轮未更新 -> 注入提醒
        if rounds_without_todo > 10:
            results.insert(0, {"type": "text", "text": NAG_REMINDER})
"""

AGENT_LOOP = """\
def agent_loop(messages: list) -> list:
    global rounds_without_todo

    while True:
        response = client.messages.create(
            model=MODEL, system=SYSTEM,
            messages=messages, tools=TOOLS, max_tokens=8000,
        )

        # ... 打印文本、收集工具调用 ...

        if response.stop_reason != "tool_use":
            messages.append({"role": "assistant", "content": response.content})
            return messages

        results = []
        used_todo = False

        for tc in tool_calls:
            output = execute_tool(tc.name, tc.input)
            results.append({
                "type": "tool_result",
                "tool_use_id": tc.id,
                "content": output,
            })

            if tc.name == "TodoWrite":
                used_todo = True

        # 跟踪 Todo 使用频率
        if used_todo:
            rounds_without_todo = 0
        else:
            rounds_without_todo += 1

        messages.append({"role": "assistant", "content": response.content})

        # 超过 10 轮未更新 -> 注入提醒
        if rounds_without_todo > 10:
            results.insert(0, {"type": "text", "text": NAG_REMINDER})

        messages.append({"role": "user", "content": results})
"""

TODO_ITEM = """\
# 新增常量
VALID_STATUSES = ("pending", "completed")

@dataclass
class TodoItem:
    content: str
    status: str = "pending"

    def __post_init__(self):
        if self.status not in VALID_STATUSES:
            raise ValueError(f"无效的任务状态: '{self.status}'，仅支持: {', '.join(VALID_STATUSES)}")
"""

WRITE = """\
def write(self, todos: list[dict[str, str]]) -> str:
    try:
        self._todos = [TodoItem(**t) for t in todos]
    except ValueError as e:
        return f"❌ 任务更新失败: {e}"
    return self._format_output()
"""

STATUS_SCHEMA = """\
"status": {
    "type": "string",
    "enum": ["pending", "completed"],  # 原为 ["pending", "in_progress", "completed"]
    "description": "任务状态",
}
"""
