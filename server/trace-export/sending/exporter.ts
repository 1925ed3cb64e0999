import { sentAhead, type Tx } from '#platform/database/database.ts';
import type { Listener } from '#platform/database/listener.ts';
import type { Service } from '#platform/runtime/service.ts';
import { exportMetrics } from '../metrics/export-metrics.ts';
import { claimMetricSchedules } from '../metrics/schedule-store.ts';
import { makeExportLoop } from './export-loop.ts';
import { exportRuns, type ExportDeps } from './export-runs.ts';
import { makeHasExport } from './has-export.ts';
import { claimSchedules, insertFinishedRuns, insertRunsOfLateJobs } from './queue-store.ts';

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
  /** Runs in the transaction that stores a batch, so no run is missed that is stored after its export was saved. */
  enqueue(tx: Tx, stored: readonly StoredObject[]): void;
}

/**
 * Exports finished runs as traces: at least once, in order, one request at a time for each integration. If a process dies, another one sends what
 * it has not deleted. Exports the metrics of integrations every minute.
 */
export function makeTraceExporter(deps: TraceExporterDeps): TraceExporter {
  const { clock, policy, guardedFetch } = deps;
  const hasAny = makeHasExport(deps);
  const traces = makeExportLoop(deps, {
    name: 'trace export',
    pollEveryMs: policy.pollEveryMs,
    hasAny,
    claim: claimSchedules,
    send: (schedule) => exportRuns(deps, schedule),
  });
  const metrics = makeExportLoop(deps, {
    name: 'metric export',
    pollEveryMs: policy.metricsPollEveryMs,
    hasAny,
    claim: claimMetricSchedules,
    send: (schedule) => exportMetrics(deps, schedule),
  });

  return {
    name: 'trace exporter',
    enqueue: (tx, stored) => {
      const now = clock();
      const hasEnded = ({ status, completedAt }: StoredObject): boolean =>
        status === 'completed' && (completedAt ?? now) > now - policy.keepMs;
      const ended = stored.filter(hasEnded);
      const times = [new Date(now), new Date(now + policy.settleMs)] as const;
      const runs = ended.filter(({ jobId }) => jobId === undefined);
      if (runs.length > 0) void sentAhead(insertFinishedRuns(tx, runs, ...times));
      const jobs = ended.filter(({ jobId }) => jobId !== undefined);
      if (jobs.length > 0) void sentAhead(insertRunsOfLateJobs(tx, jobs, ...times));
    },
    start: async () => {
      await Promise.all([traces.start(), metrics.start()]);
    },
    stop: async () => {
      // Ends open requests, so that nobody waits for a target that hangs.
      guardedFetch.dispose();
      await Promise.all([traces.stop(), metrics.stop()]);
    },
  };
}
