import { Type } from 'typebox';
import { Uuid } from '#contract/base/schema.ts';
import {
  RunTests,
  TestDetail,
  TestFacets,
  TestFacetsQuery,
  TestListQuery,
  TestPage,
  TestReportQuery,
  TestReportReceipt,
} from '#contract/tests/tests.ts';
import type { VerifyJobToken } from '#server/job-tokens/verify-job-token.ts';
import { route, type Route } from '#server/route.ts';
import { makeReceiveReport, type ReceiveDeps } from './arrival/receive-report.ts';
import { artifactSettingRoutes } from './artifacts/settings.ts';
import { jobTokenRoutes } from './job-routes.ts';
import { reportLimits } from './parsing/case-collector.ts';
import { quarantineRoutes } from './quarantine/routes.ts';
import { readTest } from './reading/read-test.ts';
import { readRunTests } from './reading/read-run-tests.ts';
import { readTestFacets, readTests } from './reading/read-tests.ts';

export interface TestResultRoutesDeps extends ReceiveDeps {
  verifyJobToken: VerifyJobToken;
}

const base = '/api/integrations/:integrationId';
const viewer = { role: 'viewer' } as const;

export function testResultRoutes(deps: TestResultRoutesDeps): Route[] {
  const { db, sealer } = deps;
  const receive = makeReceiveReport(deps);
  return [
    route('POST', `${base}/test-reports`, {
      access: { role: 'member', scope: 'reports' },
      summary: 'Upload a report of tests: JUnit XML, CTRF or the output of "go test -json", gzipped or not',
      query: TestReportQuery,
      rawBodyMaxBytes: reportLimits.unpackedBytes,
      rateLimits: [{ perMinute: 300, by: 'caller' }],
      errors: ['report_unreadable', 'report_too_large', 'run_unknown', 'quota_exceeded', 'storage_full'],
      answer: { status: 201, schema: TestReportReceipt },
      handle: ({ params: { integrationId }, query, body }) =>
        receive(integrationId, query, Buffer.isBuffer(body) ? body : Buffer.alloc(0)),
    }),
    route('GET', `${base}/tests`, {
      access: viewer,
      summary: 'List tests with their state and the sums of the last 14 days',
      query: TestListQuery,
      answer: { schema: TestPage },
      handle: ({ params: { integrationId }, query }) =>
        db.withScope({ integrationId }, (tx) => readTests(tx, integrationId, query), { snapshot: true }),
    }),
    route('GET', `${base}/tests/facets`, {
      access: viewer,
      summary: 'Count tests by state, repository and suite',
      query: TestFacetsQuery,
      answer: { schema: TestFacets },
      handle: ({ params: { integrationId }, query }) =>
        db.withScope({ integrationId }, (tx) => readTestFacets(tx, integrationId, query), { snapshot: true }),
    }),
    route('GET', `${base}/tests/:testId`, {
      access: viewer,
      summary: 'Get a test with its days and its newest failures',
      answer: { schema: TestDetail },
      handle: ({ params: { integrationId, testId } }) =>
        db.withScope({ integrationId }, (tx) => readTest(tx, sealer, integrationId, testId), {
          snapshot: true,
        }),
    }),
    route('GET', `${base}/workflows/:runId/tests`, {
      access: viewer,
      summary: 'List the test reports of an attempt of a run, with its failed and flaky tests',
      params: Type.Object({
        integrationId: Uuid,
        runId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
      }),
      query: Type.Object({ attempt: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })) }),
      answer: { schema: RunTests },
      handle: ({ params: { integrationId, runId }, query: { attempt } }) =>
        db.withScope({ integrationId }, (tx) => readRunTests(tx, sealer, integrationId, runId, attempt), {
          snapshot: true,
        }),
    }),
    ...artifactSettingRoutes(deps),
    ...quarantineRoutes(deps),
    ...jobTokenRoutes({ ...deps, receive }),
  ];
}
