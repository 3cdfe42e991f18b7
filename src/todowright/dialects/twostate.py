"""twostate: pending or completed and nothing between; speaks Chinese."""

from todowright.dialects.call import Call, Reply
from todowright.dialects.field import Field
from todowright.dialects.list_dialect import ListDialect
from todowright.errors import Issue
from todowright.plan.model import Plan
from todowright.text import told


def accept(dialect: ListDialect, plan: Plan, call: Call) -> Reply:
    lines = ["📋 任务列表为空"]
    if plan.todos:
        count = [todo.status for todo in plan.todos].count
        heads = {status: f"{mark} [{status}]" for status, mark in dialect.all_marks.items()}
        rows = [
            f"  {number}. {heads[todo.status]} {todo.content}"
            for number, todo in enumerate(plan.todos, 1)
        ]
        if dialect.extras:
            rows = [row + todo.aside for row, todo in zip(rows, plan.todos, strict=True)]
        total = f"总计: {len(rows)} 项 | 待处理: {count('pending')} | 已完成: {count('completed')}"
        lines = ["📋 当前任务列表：", *rows, "", total]
    text, display = told(lines)
    return Reply(text, display, lambda: dialect.arguments(plan))


def reject(dialect: ListDialect, issues: tuple[Issue, ...], call: Call) -> Reply:
    text, display = told([f"❌ 任务更新失败: {dialect.say(issues[0])}"])
    return Reply(text, display, {"error": text}, is_error=True, issues=issues)


DIALECT = ListDialect(
    name="twostate",
    tool_name="todo_write",
    description="写入完整的任务列表（整体替换），用于规划多步骤任务并跟踪进度。",
    list_description="完整的任务列表",
    fields=(
        Field("content", description="任务内容"),
        Field("status", description="任务状态", required=False),
    ),
    statuses=("pending", "completed"),
    default_status="pending",
    phrases={
        "not_json": "无效的 JSON，请提交含有 {list} 的对象",
        "tool": "没有名为 '{got}' 的工具，请调用 {tool}",
        "type": "{path} 的类型应为 {expected}，收到的是 {kind}",
        "missing": "缺少 {path}，请补上",
        "other_key": "缺少 {path}，列表误放在 {got} 中",
        "blank": "{path} 不能为空白",
        "too_long": "{path} 共 {got} 个字符，最多 {limit} 个，请缩短",
        "unicode": "{path} 不是有效的 Unicode 文本",
        "status": "无效的任务状态: '{got}'，仅支持: {allowed}",
        "unknown": "{path} 含有未知字段 {got}，请去掉",
        "too_many": "{path} 共 {got} 项，最多 {limit} 项，请合并或删减",
        "internal": "任务列表未能保存（{got}），原列表保持不变；请继续工作，并告知用户",
        "last_stands": "注意：本轮共调用 {got} 次，以这一次为准。",
    },
    marks={"pending": "⬜", "completed": "✅"},
    lifetime="run",
    accept=accept,
    reject=reject,
    prompt_text=(
        "多步骤任务请先用 todo_write 列出全部任务，状态为 pending；"
        "每完成一项，立即提交完整列表并将其标为 completed。简单任务无需使用。"
    ),
)
