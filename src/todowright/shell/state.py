"""What bash keeps from one line to the next: its folder, its variables and its functions.

Each line is run by a bash of its own, which an interrupt can end with all it does. When it ends it writes
down what it has, and the next one begins with that.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from todowright.shell.bash_syntax import commands

_FOLDER = "TODOWRIGHT_STATE"
_BEGIN = f'[ ! -f "${_FOLDER}/kept" ] || . "${_FOLDER}/kept"; trap \'. "${_FOLDER}/save"\' EXIT; '
_SAVE = """{ set +eux; } 2>/dev/null
if [ -n "$BASH_VERSION" ]; then {
  printf %s "$PWD" >| "$TODOWRIGHT_STATE/folder"
  declare -p {names} 2>/dev/null
  echo "# all:"
  compgen -v | while IFS= read -r TODOWRIGHT_NAME; do case $TODOWRIGHT_NAME in
    TODOWRIGHT_RELAY|TODOWRIGHT_RELAY_*|TODOWRIGHT_STATE|TODOWRIGHT_NAME) ;;
    BASH|BASHOPTS|BASHPID|BASH_*|COMP_WORDBREAKS|DIRSTACK|EPOCH*|EUID|FUNCNAME|GROUPS) ;;
    HISTCMD|LINENO|PIPESTATUS|PPID|PWD|RANDOM|SECONDS|SHELLOPTS|SRANDOM|UID|_) ;;
    *) declare -p "$TODOWRIGHT_NAME" ;;
  esac; done
  unset -f TodoWrite
  declare -f
  echo "# whole"
} >| "$TODOWRIGHT_STATE/new" 2>/dev/null; fi
"""


class ShellState:
    """The state of a shell, in a private folder."""

    def __init__(self, folder: str, names: Sequence[str] = ()) -> None:
        self._folder = Path(folder)
        self._names = names
        """Variables that the program wants to know of."""
        save = _SAVE.replace("{names}", " ".join(names) or "_")
        (self._folder / "save").write_text(save, "utf-8")

    def resumed(self, line: str, code: int) -> str:
        """A line that begins with what the last one left, and with its exit code."""
        return f"{_BEGIN}(exit {code}); {line}"

    def environ(self) -> dict[str, str]:
        """The environment that bash is started in; what was exported it sets itself."""
        given = dict(os.environ)
        if (self._folder / "kept").exists():
            given = {name: value for name, value in given.items() if not name.isidentifier()}
            given["PWD"] = self.folder()
        return given | {_FOLDER: str(self._folder)}

    def folder(self) -> str:
        """The folder that the shell is in."""
        path = self._folder / "folder"
        return os.fsdecode(path.read_bytes()) if path.exists() else str(Path.cwd())

    def leave_lost_folder(self) -> str:
        """If the folder is gone, go to the nearest one above that is there; the one that is gone."""
        lost = Path(self.folder())
        if lost.is_dir():
            return ""
        found = next((each for each in lost.parents if each.is_dir()), Path("/"))
        (self._folder / "folder").write_bytes(os.fsencode(found))
        return str(lost)

    def keep(self) -> None:
        """Keep what the last line wrote down, if it came to the end of that."""
        new = self._folder / "new"
        with suppress(FileNotFoundError):
            if new.read_bytes().endswith(b"\n# whole\n"):
                new.replace(self._folder / "kept")
            else:
                new.unlink()

    def changes(self) -> Mapping[str, str | None]:
        """The variables the program wants to know of, where the shell exports them otherwise than it."""
        try:
            text = os.fsdecode((self._folder / "kept").read_bytes()).partition("# all:\n")[0]
        except FileNotFoundError:
            return {}
        declared = [each.words for each in commands(text) if len(each.words) == 3]
        exported = [words[2] for words in declared if "x" in words[1] and "=" in words[2]]
        found = {name: value for name, _, value in (each.partition("=") for each in exported)}
        return {
            name: found.get(name) for name in self._names if found.get(name) != os.environ.get(name)
        }
