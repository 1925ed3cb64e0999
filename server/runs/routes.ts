import { Type } from 'typebox';
import {
  WorkflowFacets,
  WorkflowFacetsQuery,
  WorkflowRunCount,
  WorkflowRunCountQuery,
  WorkflowRunDetail,
  WorkflowRunPage,
  WorkflowRunQuery,
  type StreamPosition,
} from '#contract/runs/runs.ts';
import { Uuid } from '#contract/base/schema.ts';
import type { Database, Tx } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { route, type Route } from '#server/route.ts';
import { facetsOfRuns } from './list/count-facets.ts';
import { countRuns, listRuns } from './list/list-runs.ts';
import { readPreviousResult } from './previous/read-previous-result.ts';
import { readRun } from './read-run.ts';
import { readUsualDurations } from './usual-store.ts';

export interface RunRoutesDeps {
  db: Database;
  /** Reads the position in the integration's stream of updates, in the transaction of the list. */
  readPosition(tx: Tx, integrationId: string): Promise<StreamPosition>;
}

export function runRoutes(deps: RunRoutesDeps): Route[] {
  return [...listRoutes(deps), ...detailRoutes(deps)];
}

function listRoutes({ db, readPosition }: RunRoutesDeps): Route[] {
  return [
    route('GET', '/api/integrations/:integrationId/workflows', {
      access: { role: 'viewer' },
      summary: 'List workflow runs, newest first',
      query: WorkflowRunQuery,
      answer: { schema: WorkflowRunPage },
      handle: ({ params: { integrationId }, query }) =>
        // One snapshot: each update is either in the list or has a later position.
        db.withScope(
          { integrationId },
          async (tx) => {
            const [stream, page] = await Promise.all([
              readPosition(tx, integrationId),
              listRuns(tx, integrationId, query),
            ]);
            return { ...page, stream };
          },
          { snapshot: true },
        ),
    }),
    route('GET', '/api/integrations/:integrationId/workflows/facets', {
      access: { role: 'viewer' },
      summary: 'List filter values with the number of recent runs for each',
      query: WorkflowFacetsQuery,
      answer: { schema: WorkflowFacets },
      handle: ({ params: { integrationId }, query }) =>
        db.withScope({ integrationId }, (tx) => facetsOfRuns(tx, integrationId, query)),
    }),
    route('GET', '/api/integrations/:integrationId/workflows/count', {
      access: { role: 'viewer' },
      summary: 'Count workflow runs',
      query: WorkflowRunCountQuery,
      answer: { schema: WorkflowRunCount },
      handle: ({ params: { integrationId }, query }) =>
        db.withScope({ integrationId }, (tx) => countRuns(tx, integrationId, query)),
    }),
  ];
}

function detailRoutes({ db }: RunRoutesDeps): Route[] {
  return [
    route('GET', '/api/integrations/:integrationId/workflows/:runId', {
      access: { role: 'viewer' },
      summary: 'Get a workflow run with its attempts, jobs, pull requests and the previous result',
      params: Type.Object({
        integrationId: Uuid,
        runId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
      }),
      answer: { schema: WorkflowRunDetail },
      handle: async ({ params: { integrationId, runId } }) => {
        const [detail, previous, usual] = await db.withScope(
          { integrationId },
          (tx) =>
            Promise.all([
              readRun(tx, integrationId, runId),
              readPreviousResult(tx, integrationId, runId),
              readUsualDurations(tx, integrationId, runId),
            ]),
          { snapshot: true, plansOnce: true },
        );
        if (detail === undefined) throw new AppError('not_found', { detail: 'Run not found.' });
        return { ...detail, previous, usual };
      },
    }),
  ];
}
