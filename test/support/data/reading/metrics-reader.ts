import assert from 'node:assert/strict';
import { Changes, type ChangesQuery } from '#contract/metrics/changes.ts';
import { Metrics, type MetricsQuery } from '#contract/metrics/metrics.ts';
import { Overview, type OverviewRange } from '#contract/metrics/overview.ts';
import { WorkflowSteps, type WorkflowStepsQuery } from '#contract/metrics/steps.ts';
import { addUpDays } from '#server/rollups/add-up-days.ts';
import { readWorkflowSteps } from '#server/rollups/changes/steps/read-workflow-steps.ts';
import { readWhatChanged } from '#server/rollups/changes/read-what-changed.ts';
import { DashboardCache } from '#server/rollups/dashboards/dashboard-cache.ts';
import { readMetrics } from '#server/rollups/dashboards/read-metrics.ts';
import { readOverview } from '#server/rollups/dashboards/read-overview.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import { Compile } from 'typebox/compile';
import { epoch, integrationId } from '../forge-events.ts';
import { createMonitoringStore, type MonitoringStore } from './monitoring-store.ts';

const checkMetrics = Compile(Metrics);
const checkOverview = Compile(Overview);
const checkChanges = Compile(Changes);
const checkSteps = Compile(WorkflowSteps);

export interface MetricsReader extends Pick<MonitoringStore, 'database' | 'record'> {
  /** Validates the answer against the contract. The clock is six days after `epoch`. */
  metrics(query?: MetricsQuery): Promise<Metrics>;
  overview(range: OverviewRange, timeZone?: string): Promise<Overview>;
  changes(query?: ChangesQuery): Promise<Changes>;
  /** Of the workflow `CI` in `acme/site`. */
  steps(query?: Partial<WorkflowStepsQuery>): Promise<WorkflowSteps>;
  /** Takes one step of adding up days, with this clock or another. Returns 0 when nothing is left to do. */
  addUp(now?: number): Promise<number>;
  /** Deletes all rows and rollups, and clears the cache. */
  emptyAll(): Promise<void>;
}

/** A real database for a test file, and the dashboards that read it. */
export async function createMetricsReader(): Promise<MetricsReader> {
  const { database, record, empty } = await createMonitoringStore();
  const now = epoch + 6 * dayMs;
  let sums = new DashboardCache();
  return {
    database,
    record,
    metrics: async (query = {}) => {
      const answer = await database.api.withScope({ integrationId }, (tx) =>
        readMetrics(tx, integrationId, query, now, sums),
      );
      assert.ok(checkMetrics.Check(answer), JSON.stringify([...checkMetrics.Errors(answer)]));
      return answer;
    },
    overview: async (range, timeZone) => {
      const answer = await database.api.withScope({ integrationId }, (tx) =>
        readOverview(tx, integrationId, { range, timeZone }, now, sums),
      );
      assert.ok(checkOverview.Check(answer), JSON.stringify([...checkOverview.Errors(answer)]));
      return answer;
    },
    changes: async (query = {}) => {
      const answer = await database.api.withScope({ integrationId }, (tx) =>
        readWhatChanged(tx, integrationId, query, now, sums),
      );
      assert.ok(checkChanges.Check(answer), JSON.stringify([...checkChanges.Errors(answer)]));
      return answer;
    },
    steps: async (query = {}) => {
      const of = { repository: 'acme/site', workflow: 'CI', ...query };
      const answer = await database.api.withScope({ integrationId }, (tx) =>
        readWorkflowSteps(tx, integrationId, of, now),
      );
      assert.ok(checkSteps.Check(answer), JSON.stringify([...checkSteps.Errors(answer)]));
      return answer;
    },
    addUp: (at = now) => addUpDays({ db: database.worker, lock: async () => {} }, integrationId, at),
    emptyAll: async () => {
      sums = new DashboardCache();
      await empty();
      for (const table of ['daily_rollups', 'rollup_progress', 'dirty_rollup_days'])
        await database.asOwner(`delete from ${table}`);
    },
  };
}
