import { JobReportQuery, QuarantineList, QuarantineQuery, TestReportReceipt } from '#contract/tests/tests.ts';
import type { Database } from '#platform/database/database.ts';
import { invalidField } from '#platform/runtime/app-error.ts';
import type { VerifyJobToken } from '#server/job-tokens/verify-job-token.ts';
import { route, type Route } from '#server/route.ts';
import type { ReceiveReport } from './arrival/receive-report.ts';
import { reportLimits } from './parsing/case-collector.ts';
import { readQuarantined } from './quarantine/quarantine.ts';

interface JobRoutesDeps {
  db: Database;
  receive: ReceiveReport;
  verifyJobToken: VerifyJobToken;
}

/** Authenticated by the OpenID token that the forge gave to the job. */
export const publicPrefixes = ['/api/job/'];

const base = '/api/job/:integrationId';
const byToken = { verifiedBy: 'job-token' } as const;
const refusalLimit = { perMinute: 60, by: 'address' } as const;

/** What jobs do without a secret. */
export function jobTokenRoutes({ db, receive, verifyJobToken }: JobRoutesDeps): Route[] {
  return [
    route('POST', `${base}/test-reports`, {
      access: byToken,
      summary: 'Upload a report of tests with the OpenID token of the job',
      query: JobReportQuery,
      rawBodyMaxBytes: reportLimits.unpackedBytes,
      refusalLimit,
      errors: [
        'report_unreadable',
        'report_too_large',
        'run_unknown',
        'too_many_requests',
        'quota_exceeded',
        'storage_full',
      ],
      answer: { status: 201, schema: TestReportReceipt },
      handle: async ({ params: { integrationId }, query, body, request }) => {
        const job = await verifyJobToken(integrationId, request.headers.authorization);
        for (const name of ['run', 'attempt'] as const)
          if (query[name] !== undefined && query[name] !== job[name])
            throw invalidField(name, `must be ${job[name]}, as the token says`);
        const { run, attempt, repository, place } = job;
        const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
        return receive(integrationId, { ...query, run, attempt }, bytes, { repository, place });
      },
    }),
    route('GET', `${base}/quarantine.json`, {
      access: byToken,
      summary: 'List the tests in quarantine of the repository of the job',
      query: QuarantineQuery,
      refusalLimit,
      answer: { schema: QuarantineList },
      handle: async ({ params: { integrationId }, query: { suite }, request }) => {
        const { repository } = await verifyJobToken(integrationId, request.headers.authorization);
        return db.withScope(
          { integrationId },
          (tx) => readQuarantined(tx, integrationId, { repository, ...(suite !== undefined && { suite }) }),
          { snapshot: true },
        );
      },
    }),
  ];
}
