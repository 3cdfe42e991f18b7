"""Who makes a call: the host's own word, in the order in which it can be trusted; and names to recognise."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from todowright import MemoryStore, TodoWrite
from todowright.host.host_process import host_pid, host_pids, started
from todowright.host.identity import (
    Caller,
    Sessions,
    Window,
    host_of,
    identify,
    mark_of,
    project_and_branch,
    session_title,
)
from todowright.host.records import Note, Records, call_key
from todowright.names import check_agent, check_session

HERE = os.getpid()


@pytest.fixture
def records(tmp_path: Path) -> Records:
    return Records(str(tmp_path / "state"))


def window(host: str = "claude", **environ: str) -> Window:
    return Window("/", host, (HERE,), environ)


def who(records: Records, window: Window, **call: Any) -> Caller:
    return identify(
        window, records, call.get("tool", "plan"), call.get("arguments", {}), call.get("meta", {})
    )


def test_codex_names_its_thread_and_a_sub_agent_has_one_of_its_own(records: Records) -> None:
    own = {"threadId": "t1", "sessionId": "t1"}
    assert who(records, window("codex"), meta=own) == Caller("codex", "t1", by_call=True)
    below = {"threadId": "t2", "sessionId": "t1"}
    assert who(records, window("codex"), meta=below) == Caller("codex", "t1", "t2", by_call=True)


def test_a_hook_that_named_the_call_tells_conversation_and_sub_agent(records: Records) -> None:
    records.note_call("toolu_1", Note("claude", "c1", "a1", "Explore", title="Fix it"))
    records.note_host(HERE, Note("claude", "other"))
    wrong = window(CLAUDE_CODE_SESSION_ID="wrong")
    found = who(records, wrong, meta={"claudecode/toolUseId": "toolu_1"})
    assert found[:5] == ("claude", "c1", "a1", "Explore", "Fix it")
    assert who(records, wrong, meta={"claudecode/toolUseId": "toolu_9"}).conversation == "other"


def test_what_a_plugin_puts_into_the_arguments_counts_and_is_taken_out(records: Records) -> None:
    arguments = {"steps": ["A"], "_session": "ses_2", "_parent": "ses_1"}
    found = who(records, window("opencode"), arguments=arguments)
    assert (found.conversation, found.agent) == ("ses_1", "ses_2")
    assert arguments == {"steps": ["A"]}
    odd = {"_session": 7, "_agent": None, "_parent": ["x"]}
    assert who(records, window("opencode"), arguments=odd).conversation == ""
    assert odd == {}


def test_a_sub_agent_may_name_itself(records: Records) -> None:
    arguments = {"steps": ["A"], "_agent": "docs"}
    assert who(records, window("gemini"), arguments=arguments).agent == "docs"
    assert arguments == {"steps": ["A"]}


def test_the_environment_counts_where_it_is_right_and_last_where_it_is_not(
    records: Records,
) -> None:
    assert who(records, window("qwen", QWEN_CODE_SESSION_ID="q1")).conversation == "q1"
    claude = window(CLAUDE_CODE_SESSION_ID="e1")
    assert who(records, claude) == Caller("claude", "e1", sure=False)
    records.note_host(HERE, Note("claude", "h1"))
    assert who(records, claude).conversation == "h1"
    records.note_host(HERE, Note("claude", "h2"))  # after /clear
    assert who(records, claude) == Caller("claude", "h2")


def test_a_note_of_another_host_or_of_a_process_that_has_ended_does_not_count(
    records: Records,
) -> None:
    records.note_host(HERE, Note("claude", "h1"))
    assert who(records, window("codex")).conversation == ""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        records.note_host(other.pid, Note("claude", "h2"))
        assert records.of_host([other.pid]) is not None
        assert other.stdin is not None
        other.stdin.close()
        other.wait()
    assert started(other.pid) == ""
    assert records.of_host([other.pid]) is None


def test_a_host_that_sends_no_id_is_told_by_what_it_calls_once(records: Records) -> None:
    key = call_key(HERE, "plan", {"steps": ["A"]})
    records.note_call(key, Note("qwen", "q1", "a1"))
    qwen = window("qwen", QWEN_CODE_SESSION_ID="q1")
    assert who(records, qwen, arguments={"steps": ["A"]}).agent == "a1"
    assert who(records, qwen, arguments={"steps": ["A"]}).agent == ""


def test_a_conversation_keeps_its_first_title(records: Records) -> None:
    records.note_host(HERE, Note("claude", "c1", title="Fix the parser"))
    records.note_host(HERE, Note("claude", "c1", title="Go on"))
    assert who(records, window()).title == "Fix the parser"
    records.note_host(HERE, Note("claude", "c2", title="Something else"))
    assert who(records, window()).title == "Something else"


def test_the_host_of_a_process_is_found_behind_shells() -> None:
    assert host_pids({})[0] == os.getppid()
    assert host_pid("claude", {"CLAUDE_PID": "77"}) == 77
    assert host_pid("codex", {"CLAUDE_PID": "77"}) != 77
    code = "from todowright.host.host_process import host_pid; print(host_pid('codex', {}))"
    line = f'{sys.executable} -c "{code}"; true'
    said = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == str(HERE)


# Where records are kept.


def test_records_are_for_their_owner_alone_and_no_link_is_followed(tmp_path: Path) -> None:
    records = Records(str(tmp_path / "state"))
    records.note_host(HERE, Note("claude", "c1"))
    files = [each for each in (tmp_path / "state").rglob("*") if each.is_file()]
    assert {oct(each.stat().st_mode & 0o777) for each in files} == {"0o600"}
    assert oct((tmp_path / "state").stat().st_mode & 0o777) == "0o700"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "link").symlink_to(elsewhere)
    linked = Records(str(tmp_path / "link"))
    linked.note_host(HERE, Note("claude", "c1"))
    assert linked.of_host([HERE]) is None
    assert list(elsewhere.iterdir()) == []


def test_what_is_old_or_damaged_goes_and_nothing_grows_without_end(
    records: Records, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("todowright.host.records._MOST", 10)
    monkeypatch.setattr("todowright.host.records._SWEEP_EVERY", 0.0)
    for number in range(30):
        records.note_call(f"toolu_{number}", Note("claude", "c1"))
    folder = Path(records.folder, "calls")
    assert len(list(folder.iterdir())) == 10
    assert records.of_call("toolu_29") is not None
    for each in folder.iterdir():
        each.write_text("{half", "utf-8")
    assert records.of_call("toolu_29") is None
    for each in folder.iterdir():
        os.utime(each, (0, 0))
    records.note_call("new", Note("claude", "c1"))
    assert len(list(folder.iterdir())) == 1


def test_a_name_is_the_first_that_anybody_proposed(records: Records) -> None:
    assert records.name("k", "one") == "one"
    assert Records(records.folder).name("k", "two") == "one"
    records.rename("k", "three")
    assert records.name("k", "two") == "three"


def test_a_session_is_held_by_one_living_process(records: Records) -> None:
    assert records.hold("s", HERE)
    assert records.hold("s", HERE)
    assert not records.hold("s", os.getppid())
    with subprocess.Popen(["sleep", "60"]) as other:
        assert records.hold("t", other.pid)
        assert not records.hold("t", HERE)
        other.kill()
        other.wait()
    assert records.hold("t", HERE)


@pytest.mark.parametrize(
    "content",
    [
        "[" * 9_000,
        '{"session": "../x"}',
        '{"session": "s", "started": "1", "agent": "' + "9" * 9_000 + '"}',
        None,
    ],
    ids=["deep", "path", "long", "pipe"],
)
def test_what_is_no_sound_record_counts_as_absent_and_is_written_anew(
    records: Records, content: str | None
) -> None:
    records.rename("k", "one")
    records.hold("s", HERE)
    for kind in ("names", "held"):
        (path,) = Path(records.folder, kind).iterdir()
        path.unlink()
        if content is None:
            os.mkfifo(path)
        else:
            path.write_text(content, "utf-8")
    assert records.kept_name("k") == ("s" if '"s"' in str(content) else "")
    assert records.is_free("s", os.getppid())
    assert records.hold("s", HERE)
    assert not records.is_free("s", os.getppid())
    named = records.name("k", "two")
    assert named in ("s", "two")
    assert records.kept_name("k") == named


# Names.


def test_a_session_is_called_by_project_branch_host_and_task(tmp_path: Path) -> None:
    git = tmp_path / "parser" / ".git"
    git.mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/feat/quick start\n", "utf-8")
    inner = git.parent / "src"
    inner.mkdir()
    assert project_and_branch(str(inner)) == ("parser", "feat/quick start")
    title = session_title(
        str(inner), "claude", "Fix the bug in `lexer/utf8.py`, then a very long tale"
    )
    assert title == "parser-feat-quick-start-claude-Fix-the-bug-in-lexer-utf8.py-then-a"
    assert (
        session_title(str(tmp_path), "codex", "修复解析器")
        == f"{tmp_path.name[:24]}-codex-修复解析器"
    )
    check_session(session_title("/" + "x" * 300, "y" * 300, "z" * 300) + "-12345678")


def test_a_worktree_is_called_by_its_repository(tmp_path: Path) -> None:
    own = tmp_path / "parser" / ".git" / "worktrees" / "w"
    own.mkdir(parents=True)
    (own / "HEAD").write_text("ref: refs/heads/w\n", "utf-8")
    tree = tmp_path / "elsewhere"
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {own}\n", "utf-8")
    assert project_and_branch(str(tree))[0] == "elsewhere"  # the repository does not know it
    (own / "gitdir").write_text(f"{tree}/.git\n", "utf-8")
    assert project_and_branch(str(tree)) == ("parser", "w")


def test_a_conversation_is_found_again_by_its_mark_whatever_it_is_called_now(
    records: Records, tmp_path: Path
) -> None:
    store = MemoryStore()
    caller = Caller("claude", "c1")
    name = Sessions(store, records).name(caller, "/", "Fix it")
    assert name == f"folder-claude-Fix-it-{mark_of('claude', 'c1')}"
    TodoWrite(store=store, session=name)({"steps": ["A"]})
    other = Records(str(tmp_path / "other"))
    assert Sessions(store, other).name(caller, "/tmp", "Other words") == name
    assert Sessions(store, records).name(Caller("claude", "c2"), "/", "Fix it") != name
    Sessions(store, records).take_up(Caller("claude", "c2"), name)
    assert Sessions(store, records).name(Caller("claude", "c2"), "/", "x") == name


def test_before_the_task_is_known_a_name_is_not_kept(records: Records) -> None:
    sessions = Sessions(MemoryStore(), records)
    mark = mark_of("codex", "t1")
    assert sessions.name(Caller("codex", "t1"), "/") == f"folder-codex-{mark}"
    assert sessions.name(Caller("codex", "t1"), "/", "Fix it") == f"folder-codex-Fix-it-{mark}"
    assert sessions.name(Caller("codex", "t1"), "/", "Again") == f"folder-codex-Fix-it-{mark}"


@pytest.mark.parametrize(
    "given", ["a1", "ac3e5d1277aa9b0f", "docs", "../x", "a/b", "", "\n", "x" * 500]
)
def test_any_id_of_a_sub_agent_makes_a_name_below_main(records: Records, given: str) -> None:
    sessions = Sessions(MemoryStore(), records)
    name = sessions.agent(Caller("claude", "c1", given, "Explore"), "s")
    check_agent(name)
    assert name == sessions.agent(Caller("claude", "c1", given), "s")
    assert (name == "main") == (given == "")


def test_ids_whose_marks_begin_alike_are_two_agents_and_a_recorded_name_stays(
    records: Records,
) -> None:
    sessions, begun = Sessions(MemoryStore(), records), dict[str, str]()
    agent = mark = ""
    for number in range(2_000):
        agent = f"ses_{number}"
        mark = mark_of("opencode", agent)[:4]
        if mark in begun:
            break
        begun[mark] = agent
    names = {sessions.agent(Caller("opencode", "c", each), "s") for each in (agent, begun[mark])}
    assert len(names) == 2
    records.rename("agent  s ses_old", "main/agent-0696")
    assert sessions.agent(Caller("opencode", "c", "ses_old"), "s") == "main/agent-0696"


def test_hosts_are_known_by_their_clients_names() -> None:
    clients = ["claude-code", "codex-mcp-client", "opencode", "gemini-cli-mcp-client", "qwen-cli-mcp-client-x"]  # fmt: skip
    assert [host_of(each) for each in clients] == ["claude", "codex", "opencode", "gemini", "qwen"]
    assert host_of("Visual Studio Code") == "Visual-Studio-Code"
    assert host_of("") == "mcp"
