import type { Database } from '#platform/database/database.ts';

/** When the connection may call again; null or in the past for now. The share `$2` of the limit is left alone. */
const waitsUntil = `greatest(b.blocked_until, case when b.remaining <= b.limit_total * $2::float8 then b.resets_at end)`;

/** Milliseconds until the connection may call; 0 for now. `reservedShare` of the limit is left alone. */
export async function readWaitMs(db: Database, connection: string, reservedShare: number): Promise<number> {
  const { rows } = await db.statement<{ wait_ms: number }>({
    name: 'forge-wait',
    text: `select greatest(0, extract(epoch from ${waitsUntil} - now()) * 1000)::float8 as wait_ms
           from forge_budgets b where connection = $1`,
    values: [connection, reservedShare],
  });
  return rows[0]?.wait_ms ?? 0;
}

/**
 * Takes the one place for a background call. Returns what `renewPlace` and `leavePlace` need; undefined when another process has it, or when the
 * connection may not call.
 */
export async function takePlace(
  db: Database,
  connection: string,
  reservedShare: number,
  leaseMs: number,
): Promise<string | undefined> {
  const { rows } = await db.statement<{ until: string }>({
    name: 'forge-take-place',
    text: `insert into forge_budgets as b (connection, call_until) values ($1, now() + make_interval(secs => $3 / 1000.0))
           on conflict (connection) do update set call_until = excluded.call_until
             where (b.call_until is null or b.call_until < now()) and (${waitsUntil} > now()) is not true
           returning call_until::text as until`,
    values: [connection, reservedShare, leaseMs],
  });
  return rows[0]?.until;
}

/** Returns the renewed place; undefined when another process has it. */
export async function renewPlace(
  db: Database,
  connection: string,
  place: string,
  leaseMs: number,
): Promise<string | undefined> {
  const { rows } = await db.statement<{ until: string }>({
    name: 'forge-renew-place',
    text: `update forge_budgets set call_until = now() + make_interval(secs => $3 / 1000.0)
           where connection = $1 and call_until = $2::timestamptz returning call_until::text as until`,
    values: [connection, place, leaseMs],
  });
  return rows[0]?.until;
}

export interface Budget {
  limit: number | undefined;
  remaining: number | undefined;
  /** Seconds since the epoch. */
  resetsAt: number | undefined;
  blockedMs: number | undefined;
}

/** Ends a background call and saves what the forge said about limits. Without a place, only saves. */
export async function leavePlace(
  db: Database,
  connection: string,
  place: string | undefined,
  budget: Budget | undefined,
): Promise<void> {
  const { limit, remaining, resetsAt, blockedMs } = budget ?? {};
  await db.statement({
    name: 'forge-leave-place',
    text: `insert into forge_budgets as b (connection, limit_total, remaining, resets_at, blocked_until)
           values ($1, $2, $3, to_timestamp($4::float8), now() + make_interval(secs => $5::float8 / 1000))
           on conflict (connection) do update set call_until = nullif(b.call_until, $6::timestamptz),
             limit_total = coalesce(excluded.limit_total, b.limit_total),
             remaining = coalesce(excluded.remaining, b.remaining), resets_at = coalesce(excluded.resets_at, b.resets_at),
             blocked_until = coalesce(excluded.blocked_until, b.blocked_until)`,
    values: [
      connection,
      limit ?? null,
      remaining ?? null,
      resetsAt ?? null,
      blockedMs ?? null,
      place ?? null,
    ],
  });
}
