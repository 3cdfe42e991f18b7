"""All projects of a user on one board."""

from __future__ import annotations

import json
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.web.browser import CHROMIUM, FLAGS, kept, needed, until
from tests.web.serving import Served
from todowright import TodoWrite
from todowright.cli import everywhere, main
from todowright.cli.todowrite import main as todowrite
from todowright.stores import open_store


class Home:
    """A user with projects."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self._patch = monkeypatch
        for name in ("TODOWRIGHT_STORE", "TODOWRIGHT_SESSION", "TODOWRIGHT_TRUST"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("TODOWRIGHT_STATE", str(folder / "state"))
        monkeypatch.setenv("XDG_DATA_HOME", str(folder / "home"))

    def project(self, path: str, *steps: str) -> Path:
        """A project in which an agent has planned, by the command."""
        root = self.folder / path
        (root / ".git").mkdir(parents=True, exist_ok=True)
        self._patch.chdir(root)
        todos = [{"content": each, "activeForm": each, "status": "pending"} for each in steps]
        assert todowrite([json.dumps({"todos": todos})]) == 0
        return root

    def serve(self, root: Path, *options: str) -> Served:
        return Served(self.folder, *options, within=root)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    return Home(tmp_path, monkeypatch)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Path]]:
    """A board of two projects, begun in the folder `shop`; both have a session `default`."""
    folder = tmp_path_factory.mktemp("user")
    with pytest.MonkeyPatch.context() as monkeypatch:
        home = Home(folder, monkeypatch)
        shop = home.project("work/shop", "Sell bread")
        home.project("work/mill", "Grind corn", "Fill bags")
        server = home.serve(shop)
    yield server, folder
    assert "Traceback" not in server.stop()


@pytest.fixture
def served(shared: tuple[Served, Path]) -> Served:
    return shared[0]


@pytest.fixture
def user(shared: tuple[Served, Path], monkeypatch: pytest.MonkeyPatch) -> Home:
    """Whose board that is."""
    return Home(shared[1], monkeypatch)


def store_of(root: Path) -> str:
    return f"sqlite:///{root}/.todowright/plans.db"


def spoil(root: Path) -> None:
    """Put something in a store's place that is none."""
    shutil.rmtree(root / ".todowright")
    (root / ".todowright").mkdir()
    (root / ".todowright" / "plans.db").write_bytes(b"no database" * 1000)


def rows(server: Served) -> dict[str, Any]:
    found = server.http.get("/api/sessions").json()
    return {row["session"]: row for row in found["sessions"]}


def troubles(server: Served) -> list[str]:
    found = server.http.get("/api/sessions").json()["projects"]
    return [each["trouble"] for each in found if each["trouble"]]


def wait_for(check: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + 30
    while not (found := check()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return found


def test_sessions_of_the_same_name_in_two_projects_are_kept_apart(
    served: Served, user: Home
) -> None:
    found = rows(served)

    assert {"mill~default", "shop~default"} <= set(found)
    mill = found["mill~default"]
    assert (mill["name"], mill["project"]) == ("default", "mill")
    folders = served.http.get("/api/sessions").json()["projects"]
    named = {each["project"]: each["folder"] for each in folders}
    assert named["mill"] == str(user.folder / "work/mill")

    mill_store = open_store(store_of(user.folder / "work/mill"))
    shop_store = open_store(store_of(user.folder / "work/shop"))
    before, other = mill_store.load("default", "main"), shop_store.load("default", "main")
    path = "/api/sessions/mill~default/plans/main"
    add = {"edits": [{"do": "add", "text": "Sweep the floor"}]}
    match = {"if-match": f'"{before.revision}"'}
    edited = served.http.patch(path, json=add, headers=match).json()

    assert (edited["session"], edited["revision"]) == ("mill~default", before.revision + 1)
    after = mill_store.load("default", "main")
    assert (after.session, after.todos[-1].content) == ("default", "Sweep the floor")
    assert shop_store.load("default", "main") == other
    history = served.http.get("/api/sessions/mill~default/history/main").json()
    assert {each["session"] for each in history["revisions"]} == {"mill~default"}
    found_steps = served.http.get("/api/search", params={"q": "sweep the"}).json()["found"]
    assert [each["session"] for each in found_steps] == ["mill~default"]


def test_a_name_without_its_project_leads_to_the_folder_of_the_server_or_says_which_there_are(
    served: Served, user: Home
) -> None:
    for project in ("shop", "mill"):
        root = user.folder / "work" / project
        TodoWrite("lean", store=store_of(root), session=f"only-{project}")(
            {"steps": ["Rest"]}, tool="plan"
        )
    bakery = user.project("bakery", "Knead")
    for root in (bakery, user.folder / "work/mill"):
        TodoWrite("lean", store=store_of(root), session="both")({"steps": ["Rest"]}, tool="plan")
    wait_for(lambda: {"bakery~both", "mill~both", "shop~only-shop"} <= set(rows(served)))

    shown = served.http.get("/api/sessions/default").json()
    assert shown["session"] == "shop~default"
    assert served.http.get("/api/sessions/only-mill").json()["session"] == "mill~only-mill"
    assert served.http.get("/api/sessions/only-mill/plans/main").json()["revision"] == 1
    several = served.http.get("/api/sessions/both")
    assert several.status_code == 404
    assert "bakery~both or mill~both" in several.json()["error"]
    assert served.http.get("/api/sessions/nobody").status_code == 404
    assert served.http.get("/api/sessions/nobody/plans/main").status_code == 404


def test_what_is_written_in_any_project_is_told_in_one_stream_and_a_new_project_comes_in(
    served: Served, user: Home
) -> None:
    told: list[tuple[int, Any]] = []
    ours = {"garden~default", "mill~default", "shop~default"}  # others' projects may come late

    def listen() -> None:
        with served.client().stream("GET", "/api/events") as response:
            kind, number = "", 0
            for line in response.iter_lines():
                key, _, value = line.partition(": ")
                kind = value if key == "event" else kind
                number = int(value) if key == "id" else number
                if key == "data":
                    event: Any = json.loads(value) if kind == "plan" else kind
                    if kind != "plan" or event["session"] in ours:
                        told.append((number, event))
                if len(told) == 5:
                    return

    listener = threading.Thread(target=listen)
    listener.start()
    wait_for(lambda: told)
    for project in ("mill", "shop", "mill"):
        user.project(f"work/{project}", "Rest")
    user.project("another/garden", "Begin")
    listener.join(30)

    (start, hello), *events = told
    assert hello == "hello"
    assert sorted(each["session"] for _, each in events) == [
        "garden~default", "mill~default", "mill~default", "shop~default",
    ]  # fmt: skip
    one, two = (each["revision"] for _, each in events if each["session"] == "mill~default")
    assert two == one + 1
    numbers = [number for number, _ in events]
    assert numbers == sorted(set(numbers))
    assert numbers[0] > start
    assert "garden~default" in rows(served)
    missed = served.http.get("/api/changes", params={"after": numbers[1]}).json()["changes"]
    assert [each["number"] for each in missed if each["session"] in ours] == numbers[2:]
    moved = served.http.get("/api/sessions", params={"after": numbers[1]}).json()["sessions"]
    assert {row["session"] for row in moved} & ours == {each["session"] for _, each in events[2:]}


def test_who_comes_back_to_a_new_server_is_told_to_load_again_and_can_have_all(
    user: Home, served: Served
) -> None:
    user.project("work/mill", "Rest")
    last = wait_for(lambda: served.http.get("/api/sessions").json()["number"])
    again = user.serve(user.folder / "work/shop")
    try:
        with again.client().stream(
            "GET", "/api/events", headers={"last-event-id": str(last)}
        ) as response:
            lines = iter(response.iter_lines())
            assert "event: behind" in [next(lines) for _ in range(8)]
        changes = again.http.get("/api/changes", params={"after": last}).json()["changes"]
        mill = [each["revision"] for each in changes if each["session"] == "mill~default"]
        whole = open_store(store_of(user.folder / "work/mill")).load("default", "main")
        assert mill == list(range(1, whole.revision + 1))
        assert {"shop~default", "mill~default"} <= {each["session"] for each in changes}
    finally:
        assert "Traceback" not in again.stop()


def test_a_project_that_is_deleted_damaged_or_refused_is_said_in_a_line_and_the_others_go_on(
    home: Home,
) -> None:
    shop = home.project("shop", "Sell bread")
    damaged, gone = home.project("damaged", "One"), home.project("gone", "Two")
    linked = home.project("linked", "Three")
    (linked / ".todowright").rename(home.folder / "elsewhere")
    (linked / ".todowright").symlink_to(home.folder / "elsewhere")
    if os.geteuid() == 0:
        foreign = home.project("foreign", "Four")
        os.chown(foreign / ".todowright", 65534, 65534)
    server = home.serve(shop)
    try:
        assert sorted(rows(server)) == ["damaged~default", "gone~default", "shop~default"]
        told = troubles(server)
        assert any("linked/.todowright is a symbolic link" in each for each in told)
        if os.geteuid() == 0:
            assert any("foreign/.todowright belongs to another user" in each for each in told)
        assert server.http.get("/api/sessions/linked~default").status_code == 404

        shutil.rmtree(gone)
        spoil(damaged)

        wait_for(lambda: sorted(rows(server)) == ["shop~default"])
        wait_for(lambda: any("is gone" in each for each in troubles(server)))
        assert any("damaged/.todowright/plans.db is no SQLite" in each for each in troubles(server))
        path = "/api/sessions/damaged~default/plans/main"
        refused = server.http.get(path)
        assert refused.status_code == 503
        assert "damaged/.todowright/plans.db is " in refused.json()["error"]
        home.project("shop", "Sell cake")
        wait_for(lambda: rows(server)["shop~default"]["agents"][0]["revision"] == 2)
    finally:
        assert "Traceback" not in server.stop()


def test_here_and_whoever_lets_others_in_shows_one_project(home: Home) -> None:
    home.project("mill", "Grind corn")
    shop = home.project("shop", "Sell bread")
    for options in (["--here"], ["--host", "0.0.0.0"]):
        server = home.serve(shop, *options)
        found = server.http.get("/api/sessions").json()
        assert [row["session"] for row in found["sessions"]] == ["default"]
        assert (found["project"], found["projects"]) == ("shop", [])
        server.stop()
    server = home.serve(shop, "--no-token", "--everywhere")
    assert sorted(rows(server)) == ["mill~default", "shop~default"]
    server.stop()


def test_who_was_let_in_to_one_project_does_not_see_all_later(home: Home) -> None:
    mill, shop = home.project("mill", "Grind corn"), home.project("shop", "Sell bread")
    server = home.serve(shop, "--here")
    port, came = server.port, server.cookie("read")
    shown = {"cookie": f"{came['name']}={came['value']}"}
    server.stop()
    for root, option, status in (
        (shop, "--everywhere", 401),
        (mill, "--here", 401),
        (shop, "--here", 200),
    ):
        server = Served(home.folder, option, port=port, within=root)
        with server.stranger() as browser:
            answer = browser.get("/api/sessions", headers=shown)
        server.stop()
        assert answer.status_code == status


def test_everywhere_and_a_store_are_refused_in_one_line(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", "--everywhere", "--store", "memory:"]) == 1
    told = capsys.readouterr().err
    assert "--everywhere reads the store of each project: leave --store out" in told
    assert told.count("\n") == 1


@needed
def test_a_person_sees_all_projects_filters_them_and_edits_in_the_right_one(
    served: Served, user: Home
) -> None:
    from playwright.sync_api import sync_playwright

    user.project("work/shop", "Sell bread")
    user.project("work/mill", "Wash up")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = served.show(browser)
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto("/")
        row = "[data-session='mill~default']"
        page.locator(f"{row} .name", has_text="default").wait_for()
        page.locator(f"{row} .proj", has_text="mill").wait_for()
        page.get_by_label("Project").select_option("mill")
        until(
            page,
            "![...document.querySelectorAll('.proj')].some((each) => each.innerText === 'shop')",
        )
        assert "project=mill" in page.url
        page.locator(f"{row} a").click()
        page.get_by_role("heading", name="default", exact=True).wait_for()
        assert "#/mill~default" in page.url
        shop = open_store(store_of(user.folder / "work/shop"))
        before = shop.load("default", "main")
        page.get_by_role("button", name="Reword: Wash up").click()
        page.get_by_label("New words").fill("Wash the mill")
        page.keyboard.press("Enter")
        mill = open_store(store_of(user.folder / "work/mill"))
        kept(page, lambda: mill.load("default", "main").todos[0].content == "Wash the mill")
        assert shop.load("default", "main") == before

        page.goto("/#/default")  # a link of a time when there was one project
        until(page, "location.hash.startsWith('#/shop~default')")
        page.get_by_text("Sell bread").first.wait_for()
        page.goto("/#/")
        user.project("later/new", "Begin")
        page.locator("[data-session='new~default']").wait_for()
        shutil.rmtree(user.folder / "later")
        page.get_by_text("later/new/.todowright/plans.db is gone").wait_for()
        until(page, "!document.querySelector(\"[data-session='new~default']\")")
        assert faults == []
        browser.close()


def test_the_terminal_lists_all_projects_too(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    home.project("mill", "Grind corn")
    broken = home.project("broken", "One")
    home.project("shop", "Sell bread")
    spoil(broken)
    capsys.readouterr()

    for command in (["sessions", "--everywhere"], ["watch", "--all", "--everywhere"]):
        assert main(command) == 0
        told = capsys.readouterr()
        assert [line.split("\t")[0] for line in sorted(told.out.splitlines())] == [
            "mill~default", "shop~default",
        ]  # fmt: skip
        assert "not shown: " in told.err
        assert "broken/.todowright/plans.db is no SQLite database" in told.err
    assert main(["sessions"]) == 0
    assert capsys.readouterr().out.startswith("default\t")


def test_more_projects_than_are_shown_are_told_in_a_line_and_the_folder_s_own_is_among_them(
    home: Home, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = home.project("shop", "Sell bread")
    for name in ("mill", "farm", "bakery"):
        home.project(name, "Work")
    monkeypatch.chdir(shop)
    monkeypatch.setattr(everywhere, "MOST", 2)
    capsys.readouterr()

    assert main(["sessions", "--everywhere"]) == 0

    told = capsys.readouterr()
    assert "shop~default" in told.out
    assert len(told.out.splitlines()) == 2
    assert (
        "not shown: 2 more projects, used longer ago than these 2: todowright serve --here"
        in told.err
    )
