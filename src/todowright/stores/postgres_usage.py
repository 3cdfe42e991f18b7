"""What requests took, in a Postgres database."""

from __future__ import annotations

import secrets

from todowright.stores.postgres_rows import kept_text, key_of, read_text
from todowright.stores.usage import ModelRequest, Usage

COUNT = """
    WITH fresh AS (
        INSERT INTO todowright.usage_request (tenant, session_key, mark, agent_key)
        VALUES (%(tenant)s, %(session_key)s, %(mark)s, %(agent_key)s) ON CONFLICT DO NOTHING RETURNING 1)
    INSERT INTO todowright.usage AS known
        (tenant, session_key, agent_key, model, agent, requests, input, output, cached, cost, priced, updated_at)
    SELECT %(tenant)s, %(session_key)s, %(agent_key)s, %(model)s, %(agent)s, 1, %(input)s, %(output)s, %(cached)s,
        %(cost)s, %(priced)s, %(updated_at)s FROM fresh
    ON CONFLICT (tenant, session_key, agent_key, model) DO UPDATE SET
        requests = known.requests + 1, input = known.input + excluded.input, output = known.output + excluded.output,
        cached = known.cached + excluded.cached, cost = known.cost + excluded.cost,
        priced = known.priced + excluded.priced, updated_at = greatest(known.updated_at, excluded.updated_at)"""
USAGE = """
    SELECT agent, model, requests, input, output, cached, cost, priced, updated_at
    FROM todowright.usage WHERE tenant = %(tenant)s AND session_key = %(session_key)s"""
_FORGET = """
    DELETE FROM todowright.{table} WHERE tenant = %(tenant)s AND session_key = %(session_key)s
    AND (agent_key = %(agent_key)s OR NOT EXISTS (
        SELECT 1 FROM todowright.revision WHERE tenant = %(tenant)s AND session_key = %(session_key)s))"""
FORGET_USAGE = tuple(_FORGET.format(table=table) for table in ("usage", "usage_request"))


def values_of(request: ModelRequest, tenant: str) -> dict[str, object]:
    """The values of `COUNT`; a request without an id gets a mark, so that a second try counts nothing twice."""
    return {
        "tenant": tenant,
        "session_key": key_of(request.session),
        "agent_key": key_of(request.agent),
        "agent": kept_text(request.agent),
        "model": kept_text(request.model),
        "mark": request.mark if request.id else secrets.randbits(63),
        "input": request.input,
        "output": request.output,
        "cached": request.cached,
        "cost": float(request.cost or 0.0),
        "priced": int(request.cost is not None),
        "updated_at": request.microseconds,
    }


def read_usage(row: tuple[str, str, int, int, int, int, float, int, int]) -> Usage:
    """What a row of `USAGE` says."""
    return Usage(read_text(row[0]), read_text(row[1]), *row[2:])
