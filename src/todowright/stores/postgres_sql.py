"""The statements of the store on Postgres.

A row's number is that of its transaction, and each transaction writes one row. Below the oldest transaction that still runs,
no row can come any more: a reader stops there (`bound`), and so misses none that commits late.
"""

from __future__ import annotations

from todowright.stores.encoding import COLUMNS

_PLAN = "tenant = %(tenant)s AND session_key = %(session_key)s AND agent_key = %(agent_key)s"
_NUMBER = (
    "(SELECT base FROM todowright.tenant WHERE tenant = %(tenant)s) "
    "+ pg_current_xact_id()::text::bigint"
)
_VALUES = ", ".join(f"%({name})s" for name in COLUMNS.split(", "))
SAVE = f"""
    INSERT INTO todowright.revision (number, tenant, session_key, agent_key, {COLUMNS})
    SELECT {_NUMBER}, %(tenant)s, %(session_key)s, %(agent_key)s, {_VALUES}
    WHERE %(before)s = coalesce((SELECT max(revision) FROM todowright.revision WHERE {_PLAN}), 0)
    ON CONFLICT (tenant, session_key, agent_key, revision) DO NOTHING"""  # noqa: S608
_KEPT = """
    ON CONFLICT (tenant, session_key, agent_key, call_key)
    DO UPDATE SET digest = excluded.digest, reply = excluded.reply, number = DEFAULT"""
_RECEIPT = "todowright.receipt (tenant, session_key, agent_key, call_key, session, agent, call, digest, reply)"
_RECEIPT_VALUES = (
    "%(tenant)s, %(session_key)s, %(agent_key)s, %(call_key)s, %(session)s, %(agent)s, %(call)s, "
    "%(digest)s, %(reply)s"
)
_TRIM = f"""
    trimmed AS (DELETE FROM todowright.receipt WHERE {_PLAN} AND number <= (
        SELECT number FROM todowright.receipt WHERE {_PLAN} ORDER BY number DESC LIMIT 1 OFFSET %(kept)s))"""  # noqa: S608
SAVE_ONCE = f"""
    WITH saved AS ({
    SAVE.replace(
        "ON CONFLICT",
        f'''AND NOT EXISTS (
        SELECT 1 FROM todowright.receipt WHERE {_PLAN} AND call_key = %(call_key)s AND digest = %(digest)s)
    ON CONFLICT''',
    )
} RETURNING 1), {_TRIM}
    INSERT INTO {_RECEIPT} SELECT {_RECEIPT_VALUES} FROM saved {_KEPT}"""  # noqa: S608
KEEP = f"WITH {_TRIM} INSERT INTO {_RECEIPT} VALUES ({_RECEIPT_VALUES}) {_KEPT}"  # noqa: S608
RING = "SELECT set_config('synchronous_commit', 'off', true), pg_notify('todowright', %(tenant)s)"
"""After the save, in a transaction that nothing waits for: within it, a notice would make all savers wait in line."""
LOAD = f"SELECT {COLUMNS} FROM todowright.revision WHERE {_PLAN} ORDER BY revision DESC LIMIT 1"  # noqa: S608
HISTORY = f"""
    SELECT {COLUMNS} FROM todowright.revision WHERE {_PLAN} AND revision < %(before)s
    ORDER BY revision DESC LIMIT %(limit)s"""  # noqa: S608
_DELETED = """
    UPDATE todowright.tenant SET forgotten = greatest(forgotten, (SELECT max(number) FROM gone))
    WHERE tenant = %(tenant)s AND EXISTS (SELECT 1 FROM gone)"""
FORGET = (
    f"WITH gone AS (DELETE FROM todowright.revision WHERE {_PLAN} RETURNING number) {_DELETED}",  # noqa: S608
    f"DELETE FROM todowright.receipt WHERE {_PLAN}",  # noqa: S608
    f"DELETE FROM todowright.seen WHERE {_PLAN}",  # noqa: S608
    f"DELETE FROM todowright.lease WHERE {_PLAN}",  # noqa: S608
)
LAST = (
    FORGET[0].replace(_PLAN, f"{_PLAN} AND revision < %(revision)s"),
    *FORGET[1:],
)
OLD = """
    WITH plan AS (
        SELECT agent_key, least(max(revision) - %(keep_last)s::integer + 1,
            min(revision) FILTER (WHERE updated_at >= %(older_than)s::bigint)) AS before
        FROM todowright.revision WHERE tenant = %(tenant)s AND session_key = %(session_key)s GROUP BY agent_key)
    SELECT agent, before, count(*) FROM todowright.revision JOIN plan USING (agent_key)
    WHERE tenant = %(tenant)s AND session_key = %(session_key)s AND revision < before
    GROUP BY agent, before ORDER BY min(number)"""
DELETE_OLD = f"""
    DELETE FROM todowright.revision WHERE {_PLAN} AND revision IN (
        SELECT revision FROM todowright.revision WHERE {_PLAN} AND revision < least(
            %(before)s::integer, (SELECT max(revision) FROM todowright.revision WHERE {_PLAN}))
        ORDER BY revision LIMIT %(batch)s::integer)
    RETURNING revision"""  # noqa: S608
"""What stands stays, also of a plan that was forgotten and begun anew since somebody looked what is old."""
RECEIPT = f"""
    SELECT session, agent, call, digest, reply FROM todowright.receipt
    WHERE {_PLAN} AND call_key = %(call_key)s"""  # noqa: S608
SEEN = f"SELECT revision FROM todowright.seen WHERE {_PLAN}"  # noqa: S608
MARK_SEEN = """
    INSERT INTO todowright.seen (tenant, session_key, agent_key, revision)
    VALUES (%(tenant)s, %(session_key)s, %(agent_key)s, %(revision)s)
    ON CONFLICT (tenant, session_key, agent_key)
    DO UPDATE SET revision = greatest(seen.revision, excluded.revision)"""
NOW = "extract(epoch FROM clock_timestamp())"
_TOKEN = f"{_PLAN} AND token_key = %(token_key)s"
BEGIN_LEASE = """
    INSERT INTO todowright.lease (tenant, session_key, agent_key, token_key, token, until)
    VALUES (%(tenant)s, %(session_key)s, %(agent_key)s, %(token_key)s, %(token)s, %(until)s) ON CONFLICT DO NOTHING"""
RENEW_LEASE = f"""
    UPDATE todowright.lease SET until = greatest(until, {NOW} + %(seconds)s)
    WHERE {_TOKEN} AND until >= {NOW} RETURNING until"""  # noqa: S608
END_LEASE = (
    f"UPDATE todowright.lease SET until = 0 WHERE {_TOKEN} AND until < {NOW} RETURNING until"  # noqa: S608
)
DROP_LEASES = f"""
    DELETE FROM todowright.lease WHERE {_PLAN} AND until > 0 AND until < {NOW} - %(kept)s"""  # noqa: S608
LEASES = f"SELECT token, until FROM todowright.lease WHERE {_PLAN} AND until > 0"  # noqa: S608
# Names are found by leaps from one to the next in the index, not by reading every revision.
_LEAP = """
    WITH RECURSIVE name(key) AS (
        (SELECT {key} FROM todowright.revision WHERE {of} ORDER BY {key} LIMIT 1)
        UNION ALL
        SELECT (SELECT {key} FROM todowright.revision WHERE {of} AND {key} > name.key ORDER BY {key} LIMIT 1)
        FROM name WHERE name.key IS NOT NULL)
    SELECT {what} FROM name, LATERAL (
        SELECT {text}, number FROM todowright.revision WHERE {of} AND {key} = name.key ORDER BY {order} LIMIT 1) AS found
    {also} ORDER BY found.number"""
_TENANT = "tenant = %(tenant)s"
_SESSION = f"{_TENANT} AND session_key = %(session_key)s"
PLANS = _LEAP.format(
    what=", ".join(f"last.{name}" for name in COLUMNS.split(", ")),
    key="agent_key",
    text="agent",
    order="revision",
    of=_SESSION,
    also=f""", LATERAL (
        SELECT {COLUMNS} FROM todowright.revision WHERE {_SESSION} AND agent_key = name.key
        ORDER BY revision DESC LIMIT 1) AS last""",  # noqa: S608
)
SESSIONS = _LEAP.format(
    what="found.session", key="session_key", text="session", order="number", of=_TENANT, also=""
)
_BOUND = """coalesce(%(bound)s::bigint, (SELECT base FROM todowright.tenant WHERE tenant = %(tenant)s)
        + pg_snapshot_xmin(pg_current_snapshot())::text::bigint)"""
NEWEST = f"""
    SELECT greatest(
        (SELECT max(number) FROM todowright.revision WHERE tenant = %(tenant)s AND number < bound.number),
        least((SELECT forgotten FROM todowright.tenant WHERE tenant = %(tenant)s), bound.number - 1), 0),
        EXISTS (SELECT 1 FROM todowright.revision WHERE tenant = %(tenant)s AND number >= bound.number)
            OR (SELECT forgotten FROM todowright.tenant WHERE tenant = %(tenant)s) >= bound.number
    FROM (SELECT {_BOUND} AS number) AS bound"""  # noqa: S608
SINCE = f"""
    SELECT number < {_BOUND}, number, {COLUMNS} FROM todowright.revision
    WHERE tenant = %(tenant)s AND number > %(number)s {{where}} ORDER BY number LIMIT %(limit)s"""  # noqa: S608
# Which of the running transactions write to this table: others, however long they run, hold no row back. Who writes here has
# a lock on the table before it has a number; so whoever has a number below `last` and no lock now, has ended. The other way
# round, one that has ended for this snapshot may still have its locks for a moment. Locks show 32 bits of a number of 64,
# the one that is nearest to `last`.
BOUND = """
    WITH snapshot AS MATERIALIZED (
        SELECT pg_current_snapshot() AS now, pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS last),
    writer AS MATERIALIZED (
        SELECT last + ((own.transactionid::text::bigint - last + 2147483648) & 4294967295) - 2147483648 AS number
        FROM snapshot, pg_locks AS rows JOIN pg_locks AS own USING (virtualtransaction)
        WHERE rows.relation = 'todowright.revision'::regclass AND rows.mode = 'RowExclusiveLock'
            AND rows.database = (SELECT oid FROM pg_database WHERE datname = current_database())
            AND own.locktype = 'transactionid' AND own.mode = 'ExclusiveLock')
    SELECT CASE WHEN pg_is_in_recovery() THEN NULL ELSE
        (SELECT base FROM todowright.tenant WHERE tenant = %(tenant)s) + least(last, (
            SELECT min(number) FROM writer WHERE NOT pg_visible_in_snapshot(number::text::xid8, now)))
        END
    FROM snapshot"""
