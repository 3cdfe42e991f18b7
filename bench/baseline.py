"""The least code that does the job in bare Python: check a list, replace it, render it.

What the benches compare with. It keeps no ids, no history and no revisions, tells nobody, and one
thread at a time may use it.
"""

STATUSES = ("pending", "in_progress", "completed")


class Checklist:
    def __init__(self, most: int = 20) -> None:
        self.items: list[dict[str, str]] = []
        self.most = most

    def __call__(self, arguments: object) -> str:
        items = arguments.get("items") if isinstance(arguments, dict) else None
        if not isinstance(items, list):
            return "Error: items must be a list"
        checked = []
        in_progress = 0
        for index, item in enumerate(items):
            if not isinstance(item, dict):
                return f"Error: Item {index}: must be an object"
            content = str(item.get("content", "")).strip()
            status = str(item.get("status", "pending")).lower()
            active_form = str(item.get("activeForm", "")).strip()
            if not content:
                return f"Error: Item {index}: content required"
            if status not in STATUSES:
                return f"Error: Item {index}: invalid status '{status}'"
            if not active_form:
                return f"Error: Item {index}: activeForm required"
            if status == "in_progress":
                in_progress += 1
            checked.append({"content": content, "status": status, "activeForm": active_form})
        if len(checked) > self.most:
            return f"Error: Max {self.most} todos allowed"
        if in_progress > 1:
            return "Error: Only one task can be in_progress at a time"
        self.items = checked
        return self.render()

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
        completed = sum(1 for item in self.items if item["status"] == "completed")
        lines.append(f"\n({completed}/{len(self.items)} completed)")
        return "\n".join(lines)
