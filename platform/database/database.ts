import pg from 'pg';
import { beginStatement, type RowScope, type TransactionOptions } from './scope.ts';

/** A transaction with its scope set. Statements sent without waiting for each other travel in one round trip. */
export interface Tx {
  query<Row extends pg.QueryResultRow>(
    text: string | pg.QueryConfig,
    values?: unknown[],
  ): Promise<pg.QueryResult<Row>>;
}

/** The connections of one restricted role. A scope is the only way to a query. */
export interface Database {
  /** Runs `work` in a transaction; commits when it resolves, rolls back and rethrows when it rejects. */
  withScope<T>(scope: RowScope, work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * One statement that touches no integration's rows, committed by itself in one round trip. It has no scope, so tenant
   * tables are closed to it.
   */
  statement<Row extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<pg.QueryResult<Row>>;
  /** Where a dedicated connection (LISTEN) is made from. */
  readonly connection: pg.ClientConfig;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  connection: pg.ClientConfig;
  maxConnections: number;
  /** Told of connections that broke while idle; the pool replaces them by itself. */
  onIdleError: (error: Error) => void;
}

export function openDatabase({ connection, maxConnections, onIdleError }: DatabaseOptions): Database {
  const pool = new pg.Pool({
    ...connection,
    max: maxConnections,
    pipeline: true,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
  });
  pool.on('error', onIdleError);
  // A connection that breaks while lent out fails its queries, which tells whoever waits for them; without a listener
  // the event would end the process as well.
  pool.on('connect', (client) => client.on('error', () => {}));
  let closed: Promise<void> | undefined;
  return {
    connection,
    withScope: (scope, work, options = {}) => inTransaction(pool, beginStatement(scope, options), work),
    statement: (statement) => pool.query(statement),
    close: () => (closed ??= pool.end()),
  };
}

async function inTransaction<T>(pool: pg.Pool, begin: string, work: (tx: Tx) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    const begun = client.query(begin);
    // The first statements of `work` follow on the same wire at once; a failed begin fails them too.
    begun.catch(() => {});
    const result = await work(client);
    await begun;
    const end = await client.query('commit');
    if (end.command !== 'COMMIT')
      throw new Error('the transaction was rolled back: one of its statements had failed');
    return result;
  } catch (error) {
    await client.query('rollback').catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}
