"""Whether a database file is sound: what SQLite says of it, and whether every row of it is a plan."""

from __future__ import annotations

import sqlite3

from todowright.stores.sqlite_rows import SELECT, Known, reader

MOST_FAULTS = 20
_GAPS = """
    SELECT session, agent, revision + 1, following - 1 FROM (
        SELECT session, agent, revision,
               lead(revision) OVER (PARTITION BY session, agent ORDER BY revision) AS following
        FROM revision)
    WHERE following > revision + 1"""


def faults(connection: sqlite3.Connection, most: int = MOST_FAULTS) -> list[str]:
    """What is wrong, in a line each; nothing for a sound file."""
    checked = connection.execute(f"PRAGMA integrity_check({most})").fetchall()
    found = [str(line) for (line,) in checked if line != "ok"]
    if found:
        return found
    read = reader(Known())
    for row in connection.execute(SELECT):
        try:
            read(row)
        except (ValueError, TypeError):
            found.append(f"revision {row[3]} of {row[1]}/{row[2]} is no plan")
            if len(found) >= most:
                return found
    for session, agent, first, last in connection.execute(_GAPS):
        which = f"revision {first} of" if first == last else f"revisions {first} to {last} of"
        found.append(f"{which} {session}/{agent} {'is' if first == last else 'are'} missing")
    return found[:most]


def size(connection: sqlite3.Connection) -> tuple[int, int]:
    """How many plans and revisions there are."""
    (revisions,) = connection.execute("SELECT count(*) FROM revision").fetchone()
    plans = "SELECT count(*) FROM (SELECT DISTINCT session, agent FROM revision)"
    return int(connection.execute(plans).fetchone()[0]), int(revisions)
