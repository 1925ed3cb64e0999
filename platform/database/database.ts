import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { connectTimeoutMs, silenceMs } from './time-limits.ts';
import { actingUser } from './acting-user.ts';
import { beginStatement, type LocalSettings, type RowScope, type TransactionOptions } from './scope.ts';

/**
 * A transaction with its scope set. Statements sent without awaiting each other share one round trip. A failed statement
 * fails the commit even if nobody awaits it.
 */
export interface Tx {
  query<Row extends pg.QueryResultRow>(...statement: Statement): Promise<pg.QueryResult<Row>>;
  rows<Row extends pg.QueryResultRow>(...statement: Statement): Promise<Row[]>;
  /** The first row. */
  row<Row extends pg.QueryResultRow>(...statement: Statement): Promise<Row | undefined>;
  /** The first column of all rows. */
  column<Value>(...statement: Statement): Promise<Value[]>;
  /** The first column of the first row. */
  value<Value>(...statement: Statement): Promise<Value | undefined>;
  /** Whether the statement found or changed a row. */
  some(...statement: Statement): Promise<boolean>;
  /** The number of rows that the statement changed. */
  execute(...statement: Statement): Promise<number>;
}

/** A connection that does not answer within `query_timeout` milliseconds is closed. Postgres may still run the statement. */
export type TimedStatement = pg.QueryConfig & { query_timeout?: number };

type Statement = [text: string | pg.QueryConfig, values?: unknown[]];

/** The connection pool of one restricted role. Every query needs a scope, which row-level security reads. */
export interface Database {
  /** Runs `work` in a transaction; commits when it resolves, rolls back and rethrows when it rejects. */
  withScope<T>(scope: RowScope, work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Runs one statement without an explicit transaction, in one round trip. It has no scope, so it sees no rows of
   * integrations.
   */
  statement<Row extends pg.QueryResultRow>(statement: TimedStatement): Promise<pg.QueryResult<Row>>;
  /**
   * Whether a query without a scope finds a row. Queries asked at about the same time share one statement: periodic tasks ask together
   * whether they have work.
   */
  hasRow(query: string): Promise<boolean>;
  /** Connections of the pool, and queries that wait for one. */
  readConnections(): { open: number; idle: number; waiting: number };
  /** Configuration for a dedicated connection (LISTEN). */
  readonly connection: pg.ClientConfig;
  close(): Promise<void>;
}

/**
 * Marks a query whose result is awaited later or never. Its failure fails the commit and so reaches the caller. Without
 * the mark Node would exit because of an unhandled rejection.
 */
export function sentAhead<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  return work;
}

export interface DatabaseOptions {
  connection: pg.ClientConfig;
  /** Given if a pooler hands each transaction another session, which keeps no settings. */
  localSettings?: LocalSettings | undefined;
  maxConnections: number;
  /** Called when an idle connection breaks, until `close`. The pool replaces it. */
  onIdleError: (error: Error) => void;
}

export function openDatabase({
  connection,
  localSettings,
  maxConnections,
  onIdleError,
}: DatabaseOptions): Database {
  const pool = new pg.Pool({
    ...connection,
    max: maxConnections,
    pipeline: true,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
  });
  // While the pool ends, Postgres may stop before a connection is closed. That is not an error.
  pool.on('error', (error) => {
    if (!pool.ending) onIdleError(error);
  });
  // A connection that breaks while in use fails its queries. Without a listener the event would also end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  let closed: Promise<void> | undefined;
  const withScope: Database['withScope'] = (scope, work, options = {}) =>
    inTransaction(pool, beginStatement(scope, options, actingUser(), localSettings), work, options);
  const statement: Database['statement'] =
    localSettings === undefined
      ? (query) => pool.query(query)
      : (query) => withScope('service', (tx) => tx.query(query));
  return {
    connection,
    withScope,
    statement,
    hasRow: makeHasRow(statement),
    readConnections: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => (closed ??= pool.end()),
  };
}

/** Timers that are due together fire within some milliseconds. */
const askTogetherMs = 10;

function makeHasRow(statement: Database['statement']): Database['hasRow'] {
  const askSoon = () => {
    const queries = new Set<string>();
    const answers = delay(askTogetherMs).then(async () => {
      together = undefined;
      // In one order, because each connection prepares and keeps every different statement.
      const asked = [...queries].toSorted();
      const text = `select ${asked.map((query) => `exists (${query})`).join(', ')}`;
      const query = { name: hash('md5', text), text, rowMode: 'array' };
      const { rows } = await statement<boolean[]>(query);
      return new Map(asked.map((query, place) => [query, rows[0]![place]!]));
    });
    return { queries, answers };
  };
  let together: ReturnType<typeof askSoon> | undefined;
  return async (query) => {
    const { queries, answers } = (together ??= askSoon());
    queries.add(query);
    return (await answers).get(query)!;
  };
}

/** It takes no time, so a connection that does not answer it is lost: nobody waits for its statements twice. */
const rollback: TimedStatement = { text: 'rollback', query_timeout: silenceMs };

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
    // `work` sends its first statements without waiting. A failed begin fails them too.
    void tx.query(begin);
    const result = await work(tx);
    const end = await tx.query('commit');
    if (end.command !== 'COMMIT') throw firstFailure() ?? new Error('the transaction was rolled back');
    return result;
  } catch (error) {
    await client.query(rollback).catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

const abortedState = '25P02';

/** Records the first failure, because `work` need not await each statement. */
function makeTx(
  client: pg.PoolClient,
  timeoutMs: number | undefined,
): { tx: Tx; firstFailure: () => unknown } {
  let failure: unknown;
  const query: Tx['query'] = (text, values) => {
    if (typeof text === 'string' && text.startsWith('rollback to savepoint')) failure = undefined;
    const statement = timeoutMs === undefined ? text : withTimeout(text, values, timeoutMs);
    const sent = send(client, statement, values).catch((error: Error) => {
      // The stack trace shows the caller instead of the socket.
      Error.captureStackTrace(error);
      failure ??= error;
      // "The transaction is aborted" only follows from the earlier failure.
      throw (error as { code?: unknown }).code === abortedState ? failure : error;
    });
    sent.catch(() => {});
    return sent as never;
  };
  return { tx: txOf(query), firstFailure: () => failure };
}

/** What a transaction offers follows from its queries. */
export function txOf(query: Tx['query']): Tx {
  const rows: Tx['rows'] = async (...statement) => (await query<never>(...statement)).rows;
  const column: Tx['column'] = async (...statement) =>
    (await rows(...statement)).map((row) => Object.values(row)[0]);
  const execute: Tx['execute'] = async (...statement) => (await query(...statement)).rowCount ?? 0;
  return {
    query,
    rows,
    row: async (...statement) => (await rows<never>(...statement))[0],
    column,
    value: async (...statement) => (await column<never>(...statement))[0],
    some: async (...statement) => (await execute(...statement)) > 0,
    execute,
  };
}

/**
 * Uses the callback form: with the promises of pg, sent statements survive minor garbage collections, and major
 * collections become eight times as frequent.
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

/** Client-side time-out for a connection that does not answer. Postgres enforces the limit itself. */
function withTimeout(text: string | pg.QueryConfig, values: unknown[] | undefined, timeoutMs: number) {
  const config = typeof text === 'string' ? { text, ...(values && { values }) } : text;
  return { ...config, query_timeout: timeoutMs + silenceMs };
}
