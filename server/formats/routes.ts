import { Type } from 'typebox';
import { strictObject } from '#contract/base/schema.ts';
import type { Database } from '#platform/database/database.ts';
import { route, type Route } from '#server/route.ts';
import { openMetrics, openMetricsType } from '#server/ci-metrics/openmetrics.ts';
import { readCiMetrics } from '#server/ci-metrics/read-ci-metrics.ts';
import { cctray, inNameOrder } from './cctray.ts';
import { incidentFeed } from './incident-feed.ts';
import { readFeed } from './read-feed.ts';
import { readShownNames } from '#server/runs/names/shown-names.ts';
import { readWorkflowStates } from '#server/runs/latest/workflow-states.ts';
import { findFeedHead } from './store.ts';

export interface FormatRoutesDeps {
  db: Database;
  publicUrl: string;
  clock: () => number;
}

const base = '/api/integrations/:integrationId';
const feedLength = 50;

const CctrayQuery = strictObject({
  /** Default: the default branch of each repository. */
  branch: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  repository: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
});

/** Formats of other programs. They send an API token as the password of HTTP Basic authentication. */
export function formatRoutes({ db, publicUrl, clock }: FormatRoutesDeps): Route[] {
  return [
    route('GET', `${base}/cctray.xml`, {
      access: { role: 'viewer' },
      summary:
        'Get the state of each workflow as CCTray XML, for CCMenu, Nevergreen and other build monitors',
      query: CctrayQuery,
      takesBasic: true,
      answer: { contentType: 'application/xml; charset=utf-8' },
      handle: async ({ params: { integrationId }, query: { branch, repository } }) => {
        const workflows = await db.withScope({ integrationId }, async (tx) => {
          const [names, states] = await Promise.all([
            readShownNames(tx, [integrationId]),
            readWorkflowStates(tx, integrationId, {
              branch,
              repositories: repository === undefined ? undefined : [repository],
            }),
          ]);
          return names.show(integrationId, states);
        });
        const runs = `${publicUrl}/integrations/${integrationId}/runs`;
        return cctray(inNameOrder(workflows), (runId) => (runId === null ? runs : `${runs}/${runId}`));
      },
    }),
    route('GET', `${base}/incidents.atom`, {
      access: { role: 'viewer' },
      summary: `Get the ${feedLength} newest incidents, and tests that became broken or flaky, as an Atom feed`,
      takesBasic: true,
      answer: { contentType: 'application/atom+xml; charset=utf-8' },
      handle: async ({ params: { integrationId } }) => {
        const [names, head, stored] = await db.withScope({ integrationId }, (tx) =>
          Promise.all([
            readShownNames(tx, [integrationId]),
            findFeedHead(tx, integrationId),
            readFeed(tx, integrationId, clock(), feedLength),
          ]),
        );
        const incidents = names.show(integrationId, stored);
        return incidentFeed({
          integrationId,
          ...head,
          incidents,
          selfUrl: `${publicUrl}/api/integrations/${integrationId}/incidents.atom`,
          pageUrl: `${publicUrl}/integrations/${integrationId}/incidents`,
          publicUrl,
        });
      },
    }),
    route('GET', `${base}/metrics.txt`, {
      access: { role: 'viewer' },
      summary:
        'Get runs, durations, queue times, active jobs, broken and flaky tests as OpenMetrics, for Prometheus',
      takesBasic: true,
      answer: { contentType: openMetricsType },
      handle: async ({ params: { integrationId } }) =>
        openMetrics(await db.withScope({ integrationId }, (tx) => readCiMetrics(tx, integrationId))),
    }),
  ];
}
