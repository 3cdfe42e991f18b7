"""The rollback journal beside a database file: SQLite obeys what it says, and it may have come with a repository.

A journal may end with the name of a file of journals of several databases. SQLite deletes that file once it has rolled
back, and looks at nothing but the name. We never write one database together with another, so no journal of ours ends so.
"""

from __future__ import annotations

import os

from todowright.errors import StoreError
from todowright.private_files import NOT_PLAIN, is_link, own_file

_MAGIC = bytes.fromhex("d9d505f920a163d7")
"""How a journal begins, and how one ends that names another file."""


def check_journal(path: str) -> None:
    """Refuse a database file with a journal that is not ours; one that a crash of ours left is for SQLite to obey.

    The database is not opened for this: who closes it again loses all locks that this process has on it.
    """
    name = f"{path}-journal"
    if is_link(name):
        raise StoreError(f"{name} is a symbolic link: move it away")
    try:
        with open(name, "rb", opener=own_file) as file:
            is_hot = file.read(1) not in (b"", b"\0")
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - len(_MAGIC)))
            names_another = size > len(_MAGIC) and file.read() == _MAGIC
    except OSError as error:
        if error.strerror == NOT_PLAIN or os.path.isdir(name):
            raise StoreError(f"{name} is no plain file: move it away") from None
        return  # it is gone, or SQLite cannot read it either
    if names_another:
        raise StoreError(f"{name} names another file, which SQLite would delete: move it away")
    # Whoever changes to the log deletes the journal first: so it is looked for again behind the log.
    if is_hot and os.path.lexists(f"{path}-wal") and os.path.lexists(name):
        raise StoreError(f"{name} is not todowright's, which writes {path}-wal: move it away")
