import type { Tx } from '#platform/database/database.ts';

/** Milliseconds until the connection may call; 0 for now. `reservedShare` of the limit is left alone. */
export async function readWaitMs(tx: Tx, connection: string, reservedShare: number): Promise<number> {
  const { rows } = await tx.query<{ wait_ms: number }>(
    `select greatest(0, extract(epoch from greatest(blocked_until,
         case when remaining <= limit_total * $2::float8 then resets_at end) - now()) * 1000)::float8 as wait_ms
     from forge_budgets where connection = $1`,
    [connection, reservedShare],
  );
  return rows[0]?.wait_ms ?? 0;
}

/** Takes the one place for a background call; returns what `leavePlace` needs, undefined when another process has it. */
export async function takePlace(tx: Tx, connection: string, leaseMs: number): Promise<string | undefined> {
  const { rows } = await tx.query<{ until: string }>(
    `insert into forge_budgets as b (connection, call_until) values ($1, now() + make_interval(secs => $2 / 1000.0))
     on conflict (connection) do update set call_until = excluded.call_until
       where b.call_until is null or b.call_until < now()
     returning call_until::text as until`,
    [connection, leaseMs],
  );
  return rows[0]?.until;
}

export async function leavePlace(tx: Tx, connection: string, until: string): Promise<void> {
  await tx.query(
    'update forge_budgets set call_until = null where connection = $1 and call_until = $2::timestamptz',
    [connection, until],
  );
}

export interface Budget {
  limit: number | undefined;
  remaining: number | undefined;
  /** Seconds since the epoch. */
  resetsAt: number | undefined;
  blockedMs: number | undefined;
}

export async function saveBudget(
  tx: Tx,
  connection: string,
  { limit, remaining, resetsAt, blockedMs }: Budget,
): Promise<void> {
  await tx.query(
    `insert into forge_budgets as b (connection, limit_total, remaining, resets_at, blocked_until)
     values ($1, $2, $3, to_timestamp($4::float8), now() + make_interval(secs => $5::float8 / 1000))
     on conflict (connection) do update set limit_total = coalesce(excluded.limit_total, b.limit_total),
       remaining = coalesce(excluded.remaining, b.remaining), resets_at = coalesce(excluded.resets_at, b.resets_at),
       blocked_until = coalesce(excluded.blocked_until, b.blocked_until)`,
    [connection, limit ?? null, remaining ?? null, resetsAt ?? null, blockedMs ?? null],
  );
}
