"""What keeps a host from planning with us: looked up in its files, and tried."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from shutil import which
from typing import Any, NamedTuple

from todowright.hosts.description import HOSTS, NAME
from todowright.hosts.ours import CannotChange
from todowright.hosts.pieces import MIRRORED, pieces
from todowright.hosts.places import Places
from todowright.hosts.writing import installing, removing

TESTED = {
    "claude": "2.1.325",
    "codex": "0.166.0",
    "opencode": "1.18.33",
    "gemini": "0.61.0",
    "qwen": "0.24.4",
}
"""The versions of the hosts that the tests drive."""
SECONDS = 30
_SERVERS = ("mcpServers", "servers", "mcp", "context_servers", "mcp_servers")
"""The keys below which hosts have their servers."""


class Finding(NamedTuple):
    """One thing that is well, or is not."""

    well: bool
    text: str


def examine(host: str, places: Places, command: Sequence[str], project: Path) -> list[Finding]:
    """What is to be said of one host."""
    found = [_set_up(host, places, command, project)]
    if not found[0].well:
        return found
    only_mirrors = found[0].text.startswith("writes down")
    looks: list[Callable[[], list[Finding]]] = [lambda: _version(host)]
    if not only_mirrors:
        looks += [lambda: _rivals(host, places), lambda: _approval(host, places, project)]
    if host == "codex":
        looks.append(lambda: _trust(places))
    for look in looks:
        try:
            found += look()
        except (OSError, ValueError, AttributeError, RecursionError) as error:
            found.append(Finding(False, f"its configuration cannot be read: {error}"))
    return found


def is_there(host: str, places: Places) -> bool:
    """Whether this user has the host at all."""
    return which(HOSTS[host].program) is not None or places.config_folder(host).is_dir()


def _set_up(host: str, places: Places, command: Sequence[str], project: Path) -> Finding:
    again = f"todowright install {host}"
    try:
        wanted = pieces(host, places, command)
        if not installing(wanted):
            return Finding(True, "set up")
        if host in MIRRORED and not installing(pieces(host, places, command, mirror=True)):
            return Finding(True, f"writes down what {MIRRORED[host]} is told; its own tool stays")
        shared = project / HOSTS[host].shared
        if not HOSTS[host].shared.startswith("~") and _serves_us(shared):
            return Finding(True, f"set up by {HOSTS[host].shared} of this project, without hooks")
        if removing(wanted):
            return Finding(False, f"set up by another version, or changed since: {again}")
        if _serves_us(places.main_file(host)):
            return Finding(True, f"set up by hand in {places.main_file(host)}, without hooks")
        if host == "claude" and _added_by_hand(places, project):
            return Finding(True, "set up by `claude mcp add`, without hooks")
    except CannotChange as error:
        if "already" in str(error):
            return Finding(True, f"set up by hand in {places.main_file(host)}, without hooks")
        return Finding(False, str(error))
    except (OSError, ValueError, RecursionError) as error:
        return Finding(False, f"its configuration cannot be read: {error}")
    return Finding(False, f"not set up: {again}")


def _serves_us(path: Path) -> bool:
    """Whether a host's file has our server."""
    try:
        value = _toml(path) if path.suffix == ".toml" else _json(path)
    except ValueError:  # it may have comments
        return f'"{NAME}"' in path.read_text(encoding="utf-8", errors="replace")
    return any(_has_us(value, key) for key in _SERVERS)


def _added_by_hand(places: Places, project: Path) -> bool:
    """Whether the user gave Claude Code our server by its own command."""
    state = _claudes_state(places)
    return _has_us(state, "mcpServers") or _has_us(state, "projects", str(project), "mcpServers")


def _has_us(value: Any, *keys: str) -> bool:
    found = _get(value, *keys)
    return isinstance(found, dict) and NAME in found


def _claudes_state(places: Places) -> dict[str, Any]:
    """What Claude Code keeps of the user's projects and servers."""
    own = places.environ.get("CLAUDE_CONFIG_DIR")
    return _json((Path(own) if own else places.home) / ".claude.json")


def _version(host: str) -> list[Finding]:
    program = which(HOSTS[host].program)
    if program is None:
        return [Finding(False, f"{HOSTS[host].program} is not on PATH")]
    if host not in TESTED:
        return []
    try:
        done = subprocess.run(  # noqa: S603
            [program, "--version"], capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return [Finding(False, f"{program} --version does not answer")]
    number = re.search(r"\d{1,9}\.\d{1,9}\.\d{1,9}", done.stdout)
    if number is None or _parts(number[0]) >= _parts(TESTED[host]):
        return []
    told = (
        f"{HOSTS[host].title} {number[0]} is older than {TESTED[host]}, which was tested: update it"
    )
    return [Finding(False, told)]


def _parts(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def _rivals(host: str, places: Places) -> list[Finding]:
    """Plan tools of the host's own that are on, too: a model then keeps two plans, or the other one."""
    path = places.main_file(host)
    told = f"in {path}: a model then has two plans"
    match host:
        case "claude":
            denied = _list(_json(path), "permissions", "deny")
            env = _get(_json(path), "env", "CLAUDE_CODE_ENABLE_TODO_TOOLS")
            if env == "1" and not {"TaskCreate", "TodoWrite"} & set(denied):
                return [Finding(False, f"its own task tools are switched on {told}")]
        case "codex":
            if _get(_toml(path), "tools", "update_plan", "enabled") is True:
                return [Finding(False, f"its own update_plan is switched on {told}")]
        case "opencode":
            if _get(_json(path), "tools", "todowrite") is True:
                return [Finding(False, f"its own todowrite is switched on {told}")]
        case "qwen":
            if _get(_json(path), "tools", "todoWrite", "enabled") is True:
                return [Finding(False, f"its own todo_write is switched on {told}")]
    return []


def _approval(host: str, places: Places, project: Path) -> list[Finding]:
    """What forbids the host to start the server, to call its tools or to run the hooks."""
    found = []
    for path in (places.main_file(host), project / f".{host}" / "settings.json"):
        if path.suffix != ".json":
            continue
        settings = _json(path)
        if settings.get("disableAllHooks") is True:
            found.append(Finding(False, f"disableAllHooks in {path}: the plan is not given back"))
        barred = [
            *_list(settings, "permissions", "deny"),
            *_list(settings, "disabledMcpjsonServers"),
        ]
        barred += _list(settings, "mcp", "excluded")
        if any(NAME in str(each) for each in barred):
            found.append(Finding(False, f"{NAME} is forbidden in {path}: take it out there"))
    if host == "claude" and _serves_us(project / ".mcp.json") and not _approved(places, project):
        told = "the server of .mcp.json is not approved: start claude here once, and say yes"
        found.append(Finding(False, told))
    return found


def _approved(places: Places, project: Path) -> bool:
    own = _get(_claudes_state(places), "projects", str(project)) or {}
    for settings in (
        own,
        _json(places.main_file("claude")),
        _json(project / ".claude" / "settings.json"),
        _json(project / ".claude" / "settings.local.json"),
    ):
        if settings.get("enableAllProjectMcpServers") is True:
            return True
        if NAME in _list(settings, "enabledMcpjsonServers"):
            return True
    return False


def _trust(places: Places) -> list[Finding]:
    """Whether Codex's user trusted our hooks: it keeps a hash of each."""
    state = _get(_toml(places.main_file("codex")), "hooks", "state") or {}
    if not any("config.toml" in key and "session_start" in key for key in state):
        return [
            Finding(False, "its hooks are not trusted yet, and do not run: type /hooks in Codex")
        ]
    return []


def server_answers(command: Sequence[str]) -> Finding:
    """Whether the server starts and offers its tools."""
    asked = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize",
         "params": {"protocolVersion": "2025-06-18", "capabilities": {},
                    "clientInfo": {"name": "todowright-doctor", "version": "1"}}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]  # fmt: skip
    told = " ".join(command)
    try:
        process = subprocess.Popen(  # noqa: S603
            [*command, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True,
        )  # fmt: skip
    except OSError as error:
        return Finding(False, f"{told} mcp does not start: {error}")
    try:
        return _asked(process, "".join(json.dumps(each) + "\n" for each in asked), told)
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            with suppress(OSError):  # it may have ended before it read what was written
                if stream is not None:
                    stream.close()


def _asked(process: subprocess.Popen[str], lines: str, told: str) -> Finding:
    from threading import Timer

    timer = Timer(SECONDS, process.kill)
    timer.start()
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        with suppress(BrokenPipeError):  # it has ended: what it says is why
            process.stdin.write(lines)
            process.stdin.flush()
        for line in process.stdout:
            answer = json.loads(line)
            if answer.get("id") == 2:
                names = [tool["name"] for tool in answer["result"]["tools"]]
                return Finding(True, f"the server answers, with the tools {', '.join(names)}")
        why = process.stderr.read().strip().splitlines()
        return Finding(False, f"{told} mcp ends at once: {why[-1] if why else 'it says nothing'}")
    except (OSError, ValueError, KeyError) as error:
        return Finding(False, f"{told} mcp does not answer: {error}")
    finally:
        timer.cancel()


def _json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    return value if isinstance(value, dict) else {}


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}


def _get(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _list(value: Any, *keys: str) -> list[Any]:
    found = _get(value, *keys)
    return found if isinstance(found, list) else []
