/**
 * Bound on a statement of the service, waiting for locks included: whoever waits has given up by then. Migrations, which
 * run as the owner, have none; a transaction may state another.
 */
export const statementTimeoutMs = 30_000;

/** For duties that may take long and hold nobody up. */
export const maintenanceTimeoutMs = 600_000;

/** Postgres ends a transaction whose process says nothing for so long: it may be cut off, holding locks. */
export const idleTransactionMs = 60_000;

/** Postgres answers within its own limit; after this long beyond it the connection is given up. */
export const silenceMs = 2_000;

export const connectTimeoutMs = 10_000;
