/**
 * Default time limit of a statement, including waits for locks: no client waits longer. A transaction may set another
 * limit. Migrations run as the owner, without a limit.
 */
export const statementTimeoutMs = 30_000;

/** For long background tasks. */
export const maintenanceTimeoutMs = 600_000;

/** Postgres ends a transaction that is idle for this time, because a lost process would keep its locks. */
export const idleTransactionMs = 60_000;

/** Postgres enforces its own limit. A connection that is silent for this time beyond it is closed. */
export const silenceMs = 2_000;

export const connectTimeoutMs = 10_000;
