import { sentAhead, type Tx } from '#platform/database/database.ts';
import type { Listener } from '#platform/database/listener.ts';
import type { Service } from '#platform/runtime/service.ts';
import { exportMetrics } from '../metrics/export-metrics.ts';
import { claimMetricSchedules } from '../metrics/schedule-store.ts';
import { makeExportLoop } from './export-loop.ts';
import { exportRuns, type ExportDeps } from './export-runs.ts';
import { makeKnownExports } from './known-exports.ts';
import { noteFinishedRuns } from './note-finished-runs.ts';
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
 * it has not deleted. Exports the metrics of integrations every minute.
 */
export function makeTraceExporter(deps: TraceExporterDeps): TraceExporter {
  const { clock, policy, guardedFetch } = deps;
  const madeAt = clock();
  const known = makeKnownExports({
    ...deps,
    onNew: (integrationId) => noteFinishedRuns(deps, integrationId, madeAt),
  });
  const traces = makeExportLoop(deps, {
    name: 'trace export',
    pollEveryMs: policy.pollEveryMs,
    hasAny: async () => {
      await known.refreshIfOld();
      return known.hasAny();
    },
    claim: claimSchedules,
    send: (schedule) => exportRuns(deps, schedule),
  });
  const metrics = makeExportLoop(deps, {
    name: 'metric export',
    pollEveryMs: policy.metricsPollEveryMs,
    hasAny: async () => known.hasAny(),
    claim: claimMetricSchedules,
    send: (schedule) => exportMetrics(deps, schedule),
  });

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
      await known.start();
      await Promise.all([traces.start(), metrics.start()]);
    },
    stop: async () => {
      // Ends open requests, so that nobody waits for a target that hangs.
      guardedFetch.dispose();
      await Promise.all([traces.stop(), metrics.stop()]);
    },
  };
}
