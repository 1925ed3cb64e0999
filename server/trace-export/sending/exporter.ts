import { setTimeout as delay } from 'node:timers/promises';
import { sentAhead, type Tx } from '#platform/database/database.ts';
import type { Listener } from '#platform/database/listener.ts';
import type { Service } from '#platform/runtime/service.ts';
import { repeat } from '#platform/runtime/tasks/repeat.ts';
import { exportRuns, type ExportDeps } from './export-runs.ts';
import { makeKnownExports } from './known-exports.ts';
import { claimSchedules, insertFinishedRuns, insertLateJobs } from './queue-store.ts';

/** A run or job of an event that was just stored. */
export interface StoredObject {
  integrationId: string;
  runId: number;
  attempt: number;
  /** Only of a job. */
  jobId?: number;
  status: string;
  completedAt: number | null;
}

export interface TraceExporterDeps extends ExportDeps {
  listener: Pick<Listener, 'on' | 'onConnect'>;
}

export interface TraceExporter extends Service {
  /** Runs in the transaction that stores a batch. Costs nothing when this process knows no export of its integrations. */
  enqueue(tx: Tx, stored: readonly StoredObject[]): void;
}

/**
 * Exports finished runs as traces: at least once, in order, one request at a time for each integration. If a process dies, another one sends what
 * it has not deleted.
 */
export function makeTraceExporter(deps: TraceExporterDeps): TraceExporter {
  const { db, log, clock, policy, guardedFetch } = deps;
  const known = makeKnownExports(deps);
  const inFlight = new Map<string, Promise<void>>();
  const loop = repeat(log, 'trace export', policy.pollEveryMs, async (signal) => {
    await known.refreshIfOld();
    while (!signal.aborted && known.hasAny() && (await exportSome()) > 0)
      await Promise.race([
        ...inFlight.values(),
        delay(policy.pollEveryMs, undefined, { signal }).catch(() => {}),
      ]);
  });

  /** Returns how many integrations are being exported. */
  async function exportSome(): Promise<number> {
    const free = policy.integrationsAtOnce - inFlight.size;
    const now = clock();
    const claimed =
      free <= 0
        ? []
        : await db.withScope('service', (tx) =>
            claimSchedules(tx, free, [...inFlight.keys()], new Date(now), new Date(now + policy.leaseMs)),
          );
    for (const schedule of claimed) {
      const { integrationId } = schedule;
      const done = exportRuns(deps, schedule)
        .catch((error: unknown) => log.warn({ err: error, integrationId }, 'trace export failed, will retry'))
        .finally(() => inFlight.delete(integrationId));
      inFlight.set(integrationId, done);
    }
    return inFlight.size;
  }

  return {
    name: 'trace exporter',
    enqueue: (tx, stored) => {
      const now = clock();
      const isExported = ({ integrationId, status, completedAt }: StoredObject): boolean =>
        known.has(integrationId) && status === 'completed' && (completedAt ?? now) > now - policy.keepMs;
      const ended = stored.filter(isExported);
      const times = [new Date(now), new Date(now + policy.settleMs)] as const;
      const runs = ended.filter(({ jobId }) => jobId === undefined);
      if (runs.length > 0) void sentAhead(insertFinishedRuns(tx, runs, ...times));
      const jobs = ended.flatMap(({ jobId, ...job }) => (jobId === undefined ? [] : [{ ...job, jobId }]));
      if (jobs.length > 0) void sentAhead(insertLateJobs(tx, jobs, ...times));
    },
    start: async () => {
      await known.refresh();
      await loop.start();
    },
    stop: async () => {
      await loop.stop();
      guardedFetch.dispose();
      await Promise.all(inFlight.values());
    },
  };
}
