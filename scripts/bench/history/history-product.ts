import pg from 'pg';
import { openDatabase } from '#platform/database/database.ts';
import { migrate } from '#platform/database/migrate.ts';
import { roleConnection } from '#platform/database/roles/role-connection.ts';
import { addUpDays } from '#server/rollups/add-up-days.ts';
import { loadHistory, usualHistory } from './load-history.ts';
import { percentile } from '../pairs.ts';
import { startSignedIn } from '../signed-in.ts';
import { prepareTargets } from '../targets.ts';
import type { Bench } from '../types.ts';

export interface OpenHistory {
  runs: number;
  integrationId: string;
  owner: pg.Client;
  /** Sends one request with a session. */
  read(route: string): Promise<void>;
  /** Reads a run by its key directly from Postgres. */
  lookUp(): Promise<void>;
  /** Invalidates the cached answers, as an event does. */
  change(): Promise<void>;
}

/** Starts the product with one integration with `runs` runs, on its own database, and signs in. */
export async function openHistory(bench: Bench, runs: number): Promise<OpenHistory> {
  const { databaseUrl, integrationId } = await prepareHistory(bench, runs);
  const owner = new pg.Client({ connectionString: databaseUrl });
  await owner.connect();
  bench.onEnd(() => owner.end());
  const { url, browser } = await startSignedIn(bench, `history-${runs}`, databaseUrl);
  const someRun = () => 1 + Math.floor(Math.random() * runs);
  return {
    runs,
    integrationId,
    owner,
    read: async (route) => {
      const path = route.replace('RUN', String(someRun()));
      const answer = await browser.fetch(`${url}/api/integrations/${integrationId}/${path}`);
      const body = await answer.text();
      if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${body}`);
    },
    lookUp: async () => {
      const text = 'select title from workflow_runs where integration_id = $1 and run_id = $2';
      await owner.query(text, [integrationId, someRun()]);
    },
    change: async () => {
      await owner.query('update realtime_stream set changes = changes + 1');
    },
  };
}

/** Returns a kept database, or loads a new one. */
async function prepareHistory(
  bench: Bench,
  runs: number,
): Promise<{ databaseUrl: string; integrationId: string }> {
  const name = `history_${runs}`;
  const kept = await bench.findDatabase(name);
  if (kept !== undefined) {
    await migrate(kept, [bench.masterKey]);
    return { databaseUrl: kept, integrationId: await onlyIntegration(kept) };
  }
  const { databaseUrl, integrations } = await prepareTargets(bench, 'loading', 1);
  const integrationId = integrations[0]?.integrationId ?? '';
  bench.say(`  loading ${runs} runs and ${runs * usualHistory.jobsEach} jobs`);
  const owner = new pg.Client({ connectionString: databaseUrl });
  await owner.connect();
  await loadHistory(owner, integrationId, { ...usualHistory, runs }, bench.say);
  await addUpAll(bench, databaseUrl, integrationId);
  // Autovacuum would do this within a minute.
  await owner.query('vacuum analyze daily_rollups');
  await owner.end();
  return { databaseUrl: await bench.renameDatabase(databaseUrl, name), integrationId };
}

async function onlyIntegration(databaseUrl: string): Promise<string> {
  const owner = new pg.Client({ connectionString: databaseUrl });
  await owner.connect();
  const { rows } = await owner.query<{ id: string }>('select integration_id as id from integrations');
  await owner.end();
  return rows[0]?.id ?? '';
}

/** Adds up all days as the worker would. Without them, dashboards read a quarter hour by hour. */
async function addUpAll(bench: Bench, databaseUrl: string, integrationId: string): Promise<void> {
  const db = openDatabase({
    connection: roleConnection(databaseUrl, 'forgewatch_worker', bench.masterKey),
    maxConnections: 1,
    onIdleError: () => {},
  });
  // No other process writes to this database, so no lock is needed.
  while ((await addUpDays({ db, lock: async () => {} }, integrationId, Date.now())) > 0);
  await db.close();
}

/**
 * Returns the p95 of each function in milliseconds. They run in turn (A, B, C, A, B, C, …), so that a slow moment of the machine
 * affects all of them. `before` runs before each turn and is not measured.
 */
export async function p95InTurn(
  times: number,
  works: readonly (() => Promise<void>)[],
  before: () => Promise<unknown> = async () => {},
): Promise<number[]> {
  const taken = works.map((): number[] => []);
  for (let count = 0; count < times; count += 1) {
    await before();
    for (const [index, work] of works.entries()) {
      const startedAt = performance.now();
      await work();
      taken[index]?.push(performance.now() - startedAt);
    }
  }
  return taken.map((list) => percentile(list, 0.95));
}
