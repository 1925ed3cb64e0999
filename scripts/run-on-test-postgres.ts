import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startTestPostgres } from '../test/support/database/test-postgres.ts';

/** Runs `node ARGS` on a temporary Postgres for tests. Ends with its exit code. */
export async function runOnTestPostgres(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const postgres = await startTestPostgres();
  const child = spawn(process.execPath, args, {
    stdio: 'inherit',
    env: { ...process.env, FORGEWATCH_TEST_DATABASE_URL: postgres.url, ...env },
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  const [code] = (await once(child, 'exit')) as [number | null];
  await postgres.stop();
  process.exitCode = code ?? 1;
}
