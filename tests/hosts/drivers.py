"""How each real host is set up and run, beside a scripted model."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.hosts.conversation import Call, Conversation, Turn
from tests.hosts.machine import Machine, Ran


class Driver:
    """A host on a machine of its own."""

    name = ""
    agent_tool = ""
    """The tool by which its model starts a sub-agent."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.env: dict[str, str] = {"TODOWRIGHT_HOOK_LOG": str(machine.folder / "hook.log")}
        self.prepare()

    def prepare(self) -> None:
        """What a user has set up before: the model, and trust in the folder."""

    def install(self) -> None:
        self.machine.todowright("install", self.name, "--yes")

    def first_start(self) -> None:
        """Let the host make what it makes once, where windows that start at the same moment would clash over it."""

    def paste(self, project: Path | None = None) -> None:
        """Put what is printed into its file, as it is."""
        raise NotImplementedError

    def printed(self) -> str:
        return self.machine.todowright("mcp", "--print-config", self.name)

    def command(self, prompt: str, *, resume: bool = False) -> list[str]:
        raise NotImplementedError

    def start(self, prompt: str, *, at: Path | None = None) -> subprocess.Popen[str]:
        return self.machine.start(*self.command(prompt), at=at, **self.env)

    def run(
        self,
        prompt: str,
        *,
        resume: bool = False,
        at: Path | None = None,
        more: Sequence[str] = (),
    ) -> Ran:
        ran = self.run_command([*self.command(prompt, resume=resume), *more], at)
        assert ran.code == 0, f"{ran.out[-2000:]}\n{ran.err[-2000:]}"
        return ran

    def run_command(self, command: Sequence[str], at: Path | None = None) -> Ran:
        return self.machine.run(*command, at=at, **self.env)

    def agent_call(self, prompt: str) -> dict[str, object]:
        """The arguments of that tool."""
        kind = {"opencode": "general"}.get(self.name, "general-purpose")
        return {"description": "Look around", "prompt": prompt, "subagent_type": kind}

    def agent_turns(self, prompt: str) -> list[Turn]:
        """What its model says to have a sub-agent work, and to hear of the end of it."""
        return [[Call(self.agent_tool, self.agent_call(prompt))]]


class Claude(Driver):
    name = "claude"
    agent_tool = "Agent"

    def prepare(self) -> None:
        self.env |= {
            "ANTHROPIC_BASE_URL": self.machine.model.url,
            "ANTHROPIC_API_KEY": "sk-ant-scripted",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
            "CLAUDE_CODE_MCP_STARTUP_WAIT_MS": "60000",  # this computer may be busy
            "DISABLE_AUTOUPDATER": "1",
        }
        self.trust(self.machine.project)

    def trust(self, *projects: Path) -> None:
        trusted = {str(each): {"hasTrustDialogAccepted": True} for each in projects}
        state = {"projects": trusted, "hasCompletedOnboarding": True}
        self.machine.write(self.machine.home / ".claude.json", state)

    def paste(self, project: Path | None = None) -> None:
        at = project or self.machine.project
        (at / ".mcp.json").write_text(self.printed())
        said = {
            "enabledMcpjsonServers": ["todowright"],
            "permissions": {"allow": ["mcp__todowright"]},
        }
        self.machine.write(at / ".claude/settings.local.json", said)  # what its user said yes to

    def command(self, prompt: str, *, resume: bool = False) -> list[str]:
        return ["claude", *(["-c"] if resume else []), "-p", prompt, "--output-format", "json"]


class Codex(Driver):
    name = "codex"
    agent_tool = "multi_agent_v1__spawn_agent"
    model = "gpt-5.5"

    def prepare(self) -> None:
        self.env["OPENAI_API_KEY"] = "scripted"
        self.config = self.machine.home / ".codex/config.toml"
        self.machine.write(
            self.config,
            f'model = "{self.model}"\nmodel_provider = "scripted"\napproval_policy = "never"\n'
            'sandbox_mode = "read-only"\n'
            f'[model_providers.scripted]\nname = "scripted"\nbase_url = "{self.machine.model.url}/v1"\n'
            'env_key = "OPENAI_API_KEY"\nwire_api = "responses"\n',
        )

    def paste(self, project: Path | None = None) -> None:
        self.config.write_text(self.config.read_text() + "\n" + self.printed())

    def command(self, prompt: str, *, resume: bool = False) -> list[str]:
        flags = ["--skip-git-repo-check", "--dangerously-bypass-hook-trust"]
        if resume:
            return ["codex", "exec", *flags, "resume", "--last", prompt]
        return ["codex", "exec", *flags, prompt]

    def agent_turns(self, prompt: str) -> list[Turn]:
        """A model that Codex does not know is offered these tools at once."""
        self.config.write_text(self.config.read_text().replace(self.model, "unknown"))
        started = re.compile(r'"agent_id": *"([^"]+)"')

        def waits(conversation: Conversation) -> dict[str, object]:
            return {"targets": started.findall(conversation.results[-1]), "timeout_ms": 60_000}

        return [
            [Call(self.agent_tool, {"message": prompt})],
            [Call("multi_agent_v1__wait_agent", waits)],
        ]


class OpenCode(Driver):
    name = "opencode"
    agent_tool = "task"

    def prepare(self) -> None:
        self.env |= {
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        }
        model = {"name": "m", "limit": {"context": 100_000, "output": 4000}, "tool_call": True}
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "name": "scripted",
            "options": {"baseURL": f"{self.machine.model.url}/v1", "apiKey": "scripted"},
            "models": {"m": model},
        }
        self.machine.write(
            self.machine.home / ".config/opencode/opencode.json",
            {"provider": {"scripted": provider}, "model": "scripted/m", "small_model": "scripted/m",
             "autoupdate": False, "share": "disabled"},
        )  # fmt: skip

    def first_start(self) -> None:
        ran = self.run_command(["opencode", "session", "list"])  # it makes its own database
        assert ran.code == 0, ran.err[-2000:]

    def paste(self, project: Path | None = None) -> None:
        ((project or self.machine.project) / "opencode.json").write_text(self.printed())

    def command(self, prompt: str, *, resume: bool = False) -> list[str]:
        return ["opencode", "run", *(["-c"] if resume else []), prompt]


class Gemini(Driver):
    name = "gemini"
    agent_tool = "invoke_agent"

    def prepare(self) -> None:
        self.env |= {
            "GEMINI_API_KEY": "scripted",
            "GOOGLE_GEMINI_BASE_URL": self.machine.model.url,
            "GEMINI_MODEL": "gemini-2.5-pro",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        }
        settings = {
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "privacy": {"usageStatisticsEnabled": False},
        }
        self.machine.write(self.machine.home / ".gemini/settings.json", settings)

    def paste(self, project: Path | None = None) -> None:
        at = (project or self.machine.project) / ".gemini"
        at.mkdir()
        (at / "settings.json").write_text(self.printed())

    def command(self, prompt: str, *, resume: bool = False) -> list[str]:
        return ["gemini", *(["-r", "latest"] if resume else []), "-p", prompt]

    def agent_call(self, prompt: str) -> dict[str, object]:
        return {"agent_name": "generalist", "prompt": prompt}


class Qwen(Driver):
    name = "qwen"
    agent_tool = "agent"
    flags: Sequence[str] = ()

    def prepare(self) -> None:
        self.env |= {
            "OPENAI_API_KEY": "scripted",
            "OPENAI_BASE_URL": f"{self.machine.model.url}/v1",
            "OPENAI_MODEL": "qwen3-coder",
        }
        self.settings = self.machine.home / ".qwen/settings.json"
        self.own = {
            "security": {"auth": {"selectedType": "openai"}},
            "telemetry": {"enabled": False},
        }
        self.machine.write(self.settings, self.own)

    def paste(self, project: Path | None = None) -> None:
        self.machine.write(self.settings, {**json.loads(self.printed()), **self.own})

    def command(self, prompt: str, *, resume: bool = False) -> list[str]:
        return ["qwen", *(["-c"] if resume else []), *self.flags, "-p", prompt]

    def agent_turns(self, prompt: str) -> list[Turn]:
        self.flags = ["--yolo"]  # else nobody may start an agent where nobody can be asked
        return super().agent_turns(prompt)


DRIVERS: dict[str, type[Driver]] = {
    each.name: each for each in (Claude, Codex, OpenCode, Gemini, Qwen)
}
