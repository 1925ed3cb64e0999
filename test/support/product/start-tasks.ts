import pino from 'pino';
import { makeListener } from '#platform/database/listener.ts';
import type { Log } from '#platform/runtime/log.ts';
import { makeTaskRunner } from '#server/tasks/run-tasks.ts';
import type { TaskKind } from '#server/tasks/task.ts';
import type { TestDatabase } from '#test/support/database/test-database.ts';

/** Runs background tasks as a worker does; the end of the test stops it. */
export async function startTasks(
  t: { after(stop: () => Promise<void>): void },
  database: TestDatabase,
  kinds: readonly TaskKind[],
  { log = pino({ enabled: false }), lease }: { log?: Log; lease?: { ms: number; renewEveryMs: number } } = {},
): Promise<{ stop(): Promise<void> }> {
  const listener = makeListener(database.worker.connection, log);
  const runner = makeTaskRunner(
    { db: database.worker, log, listener, ...(lease === undefined ? {} : { lease }) },
    kinds,
  );
  await listener.start();
  await runner.start();
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= runner.stop().then(() => listener.stop()));
  t.after(stop);
  return { stop };
}
