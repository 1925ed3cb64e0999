import { QuarantineBody, QuarantineList, QuarantineQuery, TestSummary } from '#contract/tests/tests.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { route, type Route } from '#server/route.ts';
import { endQuarantine, quarantineTest, quarantineText, readQuarantined } from './quarantine.ts';

const base = '/api/integrations/:integrationId';
/** Gates in jobs read the list with the token that uploads reports. */
const viewerOrJob = { role: 'viewer', scope: 'reports' } as const;

export function quarantineRoutes({ db }: Pick<SharedDeps, 'db'>): Route[] {
  return [
    route('PUT', `${base}/tests/:testId/quarantine`, {
      access: { role: 'member' },
      summary: 'Put a flaky test into quarantine, or change its quarantine',
      body: QuarantineBody,
      errors: ['test_broken', 'test_not_flaky', 'quarantine_limit_reached'],
      answer: { schema: TestSummary },
      handle: ({ params: { integrationId, testId }, body, actor }) =>
        db.withScope({ integrationId }, (tx) => quarantineTest(tx, actor, testId, body)),
    }),
    route('DELETE', `${base}/tests/:testId/quarantine`, {
      access: { role: 'member' },
      summary: 'End the quarantine of a test',
      answer: { status: 204 },
      handle: ({ params: { integrationId, testId }, actor }) =>
        db.withScope({ integrationId }, (tx) => endQuarantine(tx, actor, testId)),
    }),
    route('GET', `${base}/quarantine.json`, {
      access: viewerOrJob,
      summary: 'List all tests in quarantine',
      query: QuarantineQuery,
      answer: { schema: QuarantineList },
      handle: ({ params: { integrationId }, query }) =>
        db.withScope({ integrationId }, (tx) => readQuarantined(tx, integrationId, query), {
          snapshot: true,
        }),
    }),
    route('GET', `${base}/quarantine.txt`, {
      access: viewerOrJob,
      summary: 'List all tests in quarantine as lines of class, tab and name',
      query: QuarantineQuery,
      takesBasic: true,
      answer: { contentType: 'text/plain; charset=utf-8' },
      handle: async ({ params: { integrationId }, query }) =>
        quarantineText(
          await db.withScope({ integrationId }, (tx) => readQuarantined(tx, integrationId, query), {
            snapshot: true,
          }),
        ),
    }),
  ];
}
