import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { openDatabase } from '#platform/database/database.ts';
import { migrate, roleConnection } from '#platform/database/migrate.ts';
import { makeSealer } from '#platform/runtime/sealing.ts';
import { findDemoUser } from '#server/identity/demo-identity.ts';
import { createIntegration, type CreatedIntegration } from '#server/integrations/create-integration.ts';
import { product, startChild, type Child } from './processes.ts';
import type { Bench } from './types.ts';

export interface LoadSummary {
  rate: number;
  failed: number;
  p50: number;
  p99: number;
}

export const connections = 64;
export const windowSeconds = 3;

/** A migrated database with integrations, and the file that tells their secrets to the other processes. */
export async function prepareTargets(
  bench: Bench,
  name: string,
  count: number,
): Promise<{ databaseUrl: string; targetsFile: string; targets: CreatedIntegration[] }> {
  const databaseUrl = await bench.createDatabase(name);
  await migrate(databaseUrl, bench.masterKey);
  const db = openDatabase({
    connection: roleConnection(databaseUrl, 'forgewatch_api', bench.masterKey),
    maxConnections: 4,
    onIdleError: () => {},
  });
  const sealer = makeSealer([bench.masterKey]);
  const ownerId = (await findDemoUser(db)).userId;
  const targets = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      createIntegration({ db, sealer }, { label: `Bench ${index}`, ownerId }),
    ),
  );
  await db.close();
  const targetsFile = path.join(bench.directory, `${name}-targets.json`);
  writeFileSync(targetsFile, JSON.stringify(targets), { mode: 0o600 });
  return { databaseUrl, targetsFile, targets };
}

export function productEnv(bench: Bench, databaseUrl: string | undefined, name: string): NodeJS.ProcessEnv {
  return {
    ...(databaseUrl === undefined
      ? {}
      : { DATABASE_URL: databaseUrl, ENCRYPTION_KEY: bench.masterKey.toString('base64') }),
    DATA_DIR: path.join(bench.directory, name),
    PORT: '0',
    LOG_LEVEL: 'warn',
  };
}

export async function startProduct(bench: Bench, verb: string, env: NodeJS.ProcessEnv): Promise<Child> {
  const child = await startChild(product, [verb], env);
  bench.onEnd(() => child.stop());
  return child;
}

export function portOf(ready: string): number {
  return Number(new URL(ready).port);
}

export async function startLoad(bench: Bench, targetsFile: string): Promise<Child> {
  const load = await startChild('scripts/bench/load-generator.ts', [targetsFile]);
  bench.onEnd(() => load.stop());
  return load;
}

export async function closedLoop(
  load: Child,
  port: number,
  seconds = windowSeconds,
  sockets = connections,
): Promise<LoadSummary> {
  return checked(await load.ask(`closed ${port} ${seconds} ${sockets} 0`));
}

export async function openLoop(
  load: Child,
  port: number,
  rate: number,
  seconds = windowSeconds,
  sockets = connections,
): Promise<LoadSummary> {
  return checked(await load.ask(`open ${port} ${seconds} ${sockets} ${rate}`));
}

function checked(line: string): LoadSummary {
  const summary = JSON.parse(line) as LoadSummary;
  if (summary.failed > 0)
    throw new Error(`${summary.failed} requests were refused: the measurement says nothing`);
  return summary;
}
