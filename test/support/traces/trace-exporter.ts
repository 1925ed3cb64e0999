import { after, beforeEach, type TestContext } from 'node:test';
import pino from 'pino';
import type { QueuedEvent } from '#contract/integrations/integrations.ts';
import { makeGuardedFetch } from '#platform/http/outgoing/guarded-fetch.ts';
import { repeat } from '#platform/runtime/tasks/repeat.ts';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { findOrCreateDemoUser } from '#server/identity/demo-identity.ts';
import { createIntegration } from '#server/integrations/create-integration.ts';
import { exportPolicy, type ExportPolicy } from '#server/trace-export/policy.ts';
import { makeTraceExporter } from '#server/trace-export/sending/exporter.ts';
import { readExport, saveExport } from '#server/trace-export/settings.ts';
import { workerEffects } from '#server/worker-effects.ts';
import { storeEvents } from '#server/worker/store-events.ts';
import { startTasks } from '#test/support/product/start-tasks.ts';
import { logEntries } from '#test/support/data/log-entries.ts';
import { readRows } from '#test/support/database/rows.ts';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import { deliveryIdAt, epoch, parsedEvent } from '#test/support/data/forge-events.ts';
import { namesAre } from '#test/support/network/names.ts';
import { startTraceTargets } from './trace-target.ts';

/** Traces are exported at the time that a test sets. Only polling and time-outs use the real one. */
export async function setUpTraceExporter(changes: Partial<ExportPolicy> = {}) {
  const database = await createTestDatabase();
  const targets = await startTraceTargets();
  const sealer = makeSealer([testMasterKey]);
  const actorId = await findOrCreateDemoUser(database.api);
  const policy = { ...exportPolicy, requestMs: 2_000, ...changes };
  const begin = epoch + 100_000;
  let now = begin;
  beforeEach(() => void (now = begin));
  const clock = (): number => now;
  const { lookup } = namesAre(['10.0.0.1']);
  const guard = { allowedNetworks: ['127.0.0.1/32'], allowedPorts: [targets.port], mayUseHttp: true, lookup };
  const settingsFetch = makeGuardedFetch(guard);
  const make = () =>
    makeTraceExporter({
      db: database.worker,
      log: pino({ level: 'silent' }),
      clock,
      policy,
      sealer,
      guardedFetch: makeGuardedFetch(guard),
    });
  const dueTasks = repeat(pino({ level: 'silent' }), 'tasks at the time of the test', 10, async () => {
    await database.asOwner(
      `update tasks set due_at = now() where kind in ('trace-export', 'metric-export') and leased_until is null and due_at > now()`,
    );
  });
  /** What the API answers about the export. */
  const exportOf = async (integrationId: string) => (await readExport(database.api, integrationId)).export;
  let exporter = make();
  let stored = 0;

  /** Stores events, and commits them after `meanwhile`. */
  const storeSlowly = async (
    integrationId: string,
    events: readonly [QueuedEvent, unknown][],
    meanwhile: () => Promise<void>,
  ): Promise<void> => {
    const messages = events.map(([eventType, payload]) => {
      stored += 1;
      const deliveryId = deliveryIdAt(stored);
      const event = parsedEvent({ eventType, integrationId, deliveryId, receivedAt: now, payload });
      return { messageId: String(stored), event, receivedAt: now };
    });
    const none = { enqueue: () => {} };
    const effects = workerEffects(none, exporter);
    await database.worker.withScope({ integrationIds: [integrationId] }, async (tx) => {
      await storeEvents(tx, messages, { together: true, inTransaction: effects.enqueueCompletions });
      // What was sent ahead is executed now.
      await tx.query('select');
      await meanwhile();
    });
  };

  const saveTo = (integrationId: string, url: string, metrics = false): Promise<void> => {
    const deps = { db: database.api, sealer, clock, guardedFetch: settingsFetch };
    return saveExport(deps, { integrationId, actorId }, { url, enabled: true, metrics });
  };

  await dueTasks.start();
  after(() => dueTasks.stop());
  return {
    database,
    targets,
    saveTo,
    advance: (ms: number) => void (now += ms),
    /** Starts an exporter; the end of the test stops it. */
    start: async (t: TestContext) => {
      exporter = make();
      await startTasks(t, database, exporter.kinds);
    },
    integrationTo: async (url: string | undefined, { metrics = false } = {}): Promise<string> => {
      const { integrationId } = await createIntegration(
        { db: database.api, sealer },
        { label: 'Traces', ownerId: actorId },
      );
      if (url !== undefined) await saveTo(integrationId, url, metrics);
      return integrationId;
    },
    /** Stores events as the worker does, in one batch. */
    store: (integrationId: string, ...events: [QueuedEvent, unknown][]): Promise<void> =>
      storeSlowly(integrationId, events, async () => {}),
    storeSlowly,
    /** Those that no person caused. */
    entries: async (integrationId: string): Promise<{ type: string; title: string }[]> =>
      (await logEntries(database, integrationId))
        .filter(({ actor }) => actor === null)
        .map(({ type, title }) => ({ type, title })),
    exportOf,
    /** How many requests failed since the last success: of traces, or of metrics. */
    failuresOf: async (
      integrationId: string,
      kind: 'failures' | 'metrics_failures' = 'failures',
    ): Promise<number> => {
      const ofIntegration = { integration_id: integrationId };
      const [row] = await readRows<Record<typeof kind, number>>(database, 'trace_exports', ofIntegration);
      return row![kind];
    },
    waiting: async (integrationId: string): Promise<number> => (await exportOf(integrationId))?.waiting ?? 0,
  };
}
