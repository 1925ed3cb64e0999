import type { Duplex } from 'node:stream';
import pg from 'pg';
import { connectTimeoutMs, silenceMs } from './time-limits.ts';
import { actingUser } from './acting-user.ts';
import { beginStatement, type RowScope, type TransactionOptions } from './scope.ts';

/**
 * A transaction with its scope set. Statements sent without waiting for each other travel in one round trip; one that
 * nobody waits for still fails the commit.
 */
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

/**
 * For work on a transaction that is sent now and waited for later, or never: its failure fails the commit, which whoever
 * opened the transaction hears of. Node would end the process for a rejection that nobody waits for in time.
 */
export function sentAhead<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  return work;
}

export interface DatabaseOptions {
  connection: pg.ClientConfig;
  maxConnections: number;
  /** Told of connections that broke while idle, until `close`; the pool replaces them by itself. */
  onIdleError: (error: Error) => void;
}

export function openDatabase({ connection, maxConnections, onIdleError }: DatabaseOptions): Database {
  const pool = new pg.Pool({
    ...connection,
    max: maxConnections,
    pipeline: true,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
  });
  // The pool counts a connection as gone once it has said goodbye, and Postgres may stop before it has heard that.
  pool.on('error', (error) => {
    if (!pool.ending) onIdleError(error);
  });
  // A connection that breaks while lent out fails its queries, which tells whoever waits for them; without a listener
  // the event would end the process as well.
  pool.on('connect', (client) => client.on('error', () => {}));
  let closed: Promise<void> | undefined;
  return {
    connection,
    withScope: (scope, work, options = {}) =>
      inTransaction(pool, beginStatement(scope, options, actingUser()), work, options),
    statement: (statement) => pool.query(statement),
    close: () => (closed ??= pool.end()),
  };
}

async function inTransaction<T>(
  pool: pg.Pool,
  begin: string,
  work: (tx: Tx) => Promise<T>,
  options: TransactionOptions,
): Promise<T> {
  const client = await pool.connect();
  const { tx, firstFailure } = makeTx(client, options.timeoutMs);
  let broken: Error | undefined;
  try {
    // The first statements of `work` follow on the same wire at once; a failed begin fails them too.
    void tx.query(begin);
    const result = await work(tx);
    const end = await tx.query('commit');
    if (end.command !== 'COMMIT') throw firstFailure() ?? new Error('the transaction was rolled back');
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

const abortedState = '25P02';

/** Remembers the first statement that failed, because `work` need not wait for each. */
function makeTx(
  client: pg.PoolClient,
  timeoutMs: number | undefined,
): { tx: Tx; firstFailure: () => unknown } {
  const hold = writeTogether(client);
  let failure: unknown;
  const query: Tx['query'] = (text, values) => {
    hold();
    if (typeof text === 'string' && text.startsWith('rollback to savepoint')) failure = undefined;
    const statement = timeoutMs === undefined ? text : withTimeout(text, values, timeoutMs);
    const sent = send(client, statement, values).catch((error: Error) => {
      // Leads back to who asked, and not to the socket that the answer came from.
      Error.captureStackTrace(error);
      failure ??= error;
      // "The transaction is aborted" is only the echo of the statement that failed before.
      throw (error as { code?: unknown }).code === abortedState ? failure : error;
    });
    sent.catch(() => {});
    return sent as never;
  };
  return { tx: { query }, firstFailure: () => failure };
}

/**
 * By callback: with the promises that pg makes itself, what was sent outlives the collections of young objects, and all of
 * the heap is collected eight times as often.
 */
function send(
  client: pg.PoolClient,
  statement: string | pg.QueryConfig,
  values: unknown[] | undefined,
): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    client.query(statement as string, values as unknown[], (error: Error | null, result) => {
      if (error) reject(error);
      else resolve(result);
    });
  });
}

/** For a connection that does not answer at all: Postgres itself has been told the limit. */
function withTimeout(text: string | pg.QueryConfig, values: unknown[] | undefined, timeoutMs: number) {
  const config = typeof text === 'string' ? { text, ...(values && { values }) } : text;
  return { ...config, query_timeout: timeoutMs + silenceMs };
}

/** Holds the socket until the end of this turn: statements sent in one turn leave in one system call. */
function writeTogether(client: pg.PoolClient): () => void {
  const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection;
  let isHeld = false;
  return () => {
    if (isHeld) return;
    isHeld = true;
    stream.cork();
    process.nextTick(() => {
      isHeld = false;
      stream.uncork();
    });
  };
}
