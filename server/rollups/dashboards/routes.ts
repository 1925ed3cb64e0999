import { Changes, ChangesQuery } from '#contract/metrics/changes.ts';
import { Health, HealthQuery } from '#contract/metrics/health.ts';
import { Metrics, MetricsQuery } from '#contract/metrics/metrics.ts';
import { Overview, OverviewQuery } from '#contract/metrics/overview.ts';
import { Queue, QueueQuery } from '#contract/metrics/queue.ts';
import { WorkflowSteps, WorkflowStepsQuery } from '#contract/metrics/steps.ts';
import type { Tx } from '#platform/database/database.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { route, type Route } from '#server/route.ts';
import { DashboardCache } from './dashboard-cache.ts';
import { findRollupVersion } from '#server/rollups/dashboards/rollup-state-store.ts';
import { readWorkflowSteps } from '#server/rollups/changes/steps/read-workflow-steps.ts';
import { readWhatChanged } from '#server/rollups/changes/read-what-changed.ts';
import { requestDeployedCommits } from '#server/deployments/read-deployments.ts';
import { readHealth } from '#server/rollups/health/read-health.ts';
import { readQueue } from '#server/rollups/queue/read-queue.ts';
import { floor } from '#server/rollups/time-span.ts';
import { minuteMs } from '#platform/runtime/time-units.ts';
import { readMetrics } from './read-metrics.ts';
import { readOverview } from './read-overview.ts';

export interface DashboardRoutesDeps extends Pick<SharedDeps, 'db' | 'clock'> {
  /** Reads a value that changes with each transaction that stores events, in the snapshot of `tx`. */
  readChanges(tx: Tx, integrationId: string): Promise<string>;
}

export function dashboardRoutes(deps: DashboardRoutesDeps): Route[] {
  const answer = makeAnswer(deps);
  return [
    route('GET', '/api/integrations/:integrationId/overview', {
      access: { role: 'viewer' },
      summary:
        'Get the health of the integration: figures compared with the previous period, open incidents, recent runs',
      query: OverviewQuery,
      answer: { schema: Overview },
      handle: ({ params: { integrationId }, query: { range = '24h', timeZone } }) =>
        answer(integrationId, ['overview', range, timeZone], (tx, now, cache) =>
          readOverview(tx, integrationId, { range, timeZone }, now, cache),
        ),
    }),
    route('GET', '/api/integrations/:integrationId/metrics', {
      access: { role: 'viewer' },
      summary: 'Time-series metrics by hour or day, in total and by repository, workflow, branch or runner',
      query: MetricsQuery,
      answer: { schema: Metrics },
      handle: ({ params: { integrationId }, query }) =>
        answer(integrationId, ['metrics', query], (tx, now, cache) =>
          readMetrics(tx, integrationId, query, now, cache),
        ),
    }),
    route('GET', '/api/integrations/:integrationId/what-changed', {
      access: { role: 'viewer' },
      summary:
        'Get the workflows and jobs that became significantly slower, flakier, costlier or fail more than in the period before, with the evidence',
      query: ChangesQuery,
      answer: { schema: Changes },
      handle: ({ params: { integrationId }, query }) =>
        answer(integrationId, ['what-changed', query], (tx, now, cache) =>
          readWhatChanged(tx, integrationId, query, now, cache),
        ),
    }),
    route('GET', '/api/integrations/:integrationId/workflow-steps', {
      access: { role: 'viewer' },
      summary: 'Get the slowest steps of a workflow, compared with the period before, from its newest runs',
      query: WorkflowStepsQuery,
      answer: { schema: WorkflowSteps },
      handle: ({ params: { integrationId }, query }) =>
        answer(integrationId, ['workflow-steps', query], (tx, now) =>
          readWorkflowSteps(tx, integrationId, query, now),
        ),
    }),
    ...growingRoutes(deps, answer),
  ];
}

/** Figures that change without an event. */
function growingRoutes({ db, clock }: DashboardRoutesDeps, answer: ReturnType<typeof makeAnswer>): Route[] {
  return [
    route('GET', '/api/integrations/:integrationId/health', {
      access: { role: 'viewer' },
      summary:
        'Get how long the default branch of each repository, or another branch, was red, how it was fixed, and what was merged meanwhile',
      query: HealthQuery,
      answer: { schema: Health },
      handle: async ({ params: { integrationId }, query }) => {
        // The time that a branch has been red grows without events.
        const asOf = floor(clock(), 5 * minuteMs);
        const health = await answer(integrationId, ['health', query, asOf], (tx, now, cache) =>
          readHealth(tx, integrationId, query, now, cache),
        );
        // What the forge was not asked for is known in one of the next answers.
        if (health.deployments?.items.some(({ contents }) => ['reading', 'unreadable'].includes(contents)))
          await db.withScope({ integrationId }, (tx) => requestDeployedCommits(tx, integrationId, clock()));
        return health;
      },
    }),
    route('GET', '/api/integrations/:integrationId/queue', {
      access: { role: 'viewer' },
      summary:
        'Get which jobs wait for a runner by its labels and since when, the usual queue times, and the runners that are busy',
      query: QueueQuery,
      answer: { schema: Queue },
      handle: ({ params: { integrationId }, query }) => {
        // A job whose last event was lost stops to count without an event.
        const asOf = floor(clock(), minuteMs);
        return answer(integrationId, ['queue', query, asOf], (tx, now, cache) =>
          readQueue(tx, integrationId, query, now, cache),
        );
      },
    }),
  ];
}

/** Answers from one snapshot, or from the cache when no event was stored since the last answer. */
function makeAnswer({ db, clock, readChanges }: DashboardRoutesDeps) {
  const cache = new DashboardCache();
  return <T>(
    integrationId: string,
    question: unknown,
    read: (tx: Tx, now: number, cache: DashboardCache) => Promise<T>,
  ): Promise<T> =>
    db.withScope(
      { integrationId },
      async (tx) => {
        const now = clock();
        // Events change the first, and a recomputation of metrics the second.
        const versions = await Promise.all([
          readChanges(tx, integrationId),
          findRollupVersion(tx, integrationId),
        ]);
        const changes = versions.join(' ');
        return cache.answer({ integrationId, question, changes, now }, () => read(tx, now, cache));
      },
      { snapshot: true, plansOnce: true },
    );
}
