import { Type } from 'typebox';
import {
  ChangeGroupBody,
  FailureGroupDetail,
  FailureGroupPage,
  FailureGroupQuery,
  RunFailures,
  RunFailuresQuery,
} from '#contract/failures/failures.ts';
import { RunCommits } from '#contract/failures/commits.ts';
import { Uuid } from '#contract/base/schema.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { route, type Route } from '#server/route.ts';
import { changeGroup } from './groups/change-group.ts';
import { readGroup } from './groups/read-group.ts';
import { readGroups } from './groups/read-groups.ts';
import { readRunCommits } from './commits/read-run-commits.ts';
import { readRunFailures } from './run-failures/read-run-failures.ts';

export type FailureRoutesDeps = Pick<SharedDeps, 'db' | 'sealer'>;

const base = '/api/integrations/:integrationId';
const viewer = { role: 'viewer' } as const;
const runParams = Type.Object({
  integrationId: Uuid,
  runId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
});

export function failureRoutes({ db, sealer }: FailureRoutesDeps): Route[] {
  return [
    route('GET', `${base}/workflows/:runId/failures`, {
      access: viewer,
      summary: 'List the failed jobs of a workflow run with step, error line and log excerpt',
      params: runParams,
      query: RunFailuresQuery,
      answer: { schema: RunFailures },
      handle: ({ params: { integrationId, runId }, query: { attempt } }) =>
        db.withScope({ integrationId }, (tx) => readRunFailures(tx, sealer, integrationId, runId, attempt), {
          snapshot: true,
        }),
    }),
    route('GET', `${base}/workflows/:runId/commits`, {
      access: viewer,
      summary:
        'List the commits after the last success up to the first failure of the workflow, as of a red run; reads them from the forge once',
      params: runParams,
      answer: { schema: RunCommits },
      handle: ({ params: { integrationId, runId } }) =>
        db.withScope({ integrationId }, (tx) => readRunCommits(tx, sealer, integrationId, runId)),
    }),
    ...groupRoutes({ db, sealer }),
  ];
}

function groupRoutes({ db, sealer }: FailureRoutesDeps): Route[] {
  return [
    route('GET', `${base}/failure-groups`, {
      access: viewer,
      summary: 'List failure groups by their last failure, newest first',
      query: FailureGroupQuery,
      answer: { schema: FailureGroupPage },
      handle: ({ params: { integrationId }, query }) =>
        db.withScope({ integrationId }, (tx) => readGroups(tx, integrationId, query)),
    }),
    route('GET', `${base}/failure-groups/:groupId`, {
      access: viewer,
      summary: 'Get a failure group with its newest failures, a log excerpt and where it began',
      answer: { schema: FailureGroupDetail },
      handle: ({ params: { integrationId, groupId } }) =>
        db.withScope({ integrationId }, (tx) => readGroup(tx, sealer, integrationId, groupId), {
          snapshot: true,
        }),
    }),
    route('PATCH', `${base}/failure-groups/:groupId`, {
      access: { role: 'member' },
      summary: 'Acknowledge, ignore or reopen a failure group, or mark it as known flaky',
      body: ChangeGroupBody,
      errors: ['failure_not_specific'],
      answer: { status: 204 },
      handle: ({ params: { integrationId, groupId }, body, caller }) =>
        changeGroup(db, { integrationId, groupId, userId: caller.userId }, body),
    }),
  ];
}
