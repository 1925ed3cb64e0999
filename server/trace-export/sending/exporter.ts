import { sentAhead, type Tx } from '#platform/database/database.ts';
import { minuteMs } from '#platform/runtime/time-units.ts';
import { retryPreparing, type TaskKind } from '#server/tasks/task.ts';
import { exportMetrics } from '../metrics/export-metrics.ts';
import { metricTask, traceTask } from '../settings-store.ts';
import { exportRuns, type ExportDeps } from './export-runs.ts';
import { insertFinishedRuns, insertRunsOfLateJobs } from './queue-store.ts';

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

export interface TraceExporter {
  kinds: TaskKind[];
  /** Runs in the transaction that stores a batch, so no run is missed that is stored after its export was saved. */
  enqueue(tx: Tx, stored: readonly StoredObject[]): void;
}

const places = {
  quickPlaces: 16,
  slowPlaces: 32,
  // One request after the other.
  perIntegration: 1,
  // Longer than a request may take.
  longestMs: minuteMs,
  // The target may have a request that is on its way already.
  givesWay: false,
};

/**
 * Exports finished runs as traces: at least once, in order, one request at a time for each integration. If a process dies, another one sends what
 * it has not deleted. Exports the metrics of integrations every minute.
 */
export function makeTraceExporter(deps: ExportDeps): TraceExporter {
  const { clock, policy } = deps;
  const planRetry = retryPreparing('export');
  return {
    kinds: [
      { name: traceTask, ...places, planRetry, handle: (task, { signal }) => exportRuns(deps, task, signal) },
      {
        name: metricTask,
        ...places,
        planRetry,
        handle: (task, { signal }) => exportMetrics(deps, task, signal),
      },
    ],
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
  };
}
