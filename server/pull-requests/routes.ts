import { Type } from 'typebox';
import { Uuid } from '#contract/base/schema.ts';
import {
  MyPullRequests,
  PullRequestDetail,
  PullRequestDetailQuery,
  PullRequestPage,
  PullRequestQuery,
} from '#contract/runs/pull-requests.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { route, type Route } from '#server/route.ts';
import { findPullRequests } from './find-pull-requests.ts';
import { listMyPullRequests } from './list-my-pull-requests.ts';
import { readPullRequest } from './read-pull-request.ts';

const base = '/api/integrations/:integrationId/pull-requests';

export function pullRequestRoutes({ db, sealer }: Pick<SharedDeps, 'db' | 'sealer'>): Route[] {
  return [
    route('GET', base, {
      access: { role: 'viewer' },
      summary: 'List pull requests, newest first, or find them by number, branch, SHA or title',
      query: PullRequestQuery,
      answer: { schema: PullRequestPage },
      handle: ({ params: { integrationId }, query }) =>
        db.withScope({ integrationId }, (tx) => findPullRequests(tx, integrationId, query), {
          snapshot: true,
        }),
    }),
    route('GET', `${base}/mine`, {
      access: { role: 'viewer', by: 'person' },
      summary: 'List the open pull requests of the caller, those that need attention first',
      answer: { schema: MyPullRequests },
      handle: ({ params: { integrationId }, caller: { userId } }) =>
        db.withScope({ integrationId }, (tx) => listMyPullRequests(tx, integrationId, userId), {
          snapshot: true,
        }),
    }),
    route('GET', `${base}/:number`, {
      access: { role: 'viewer' },
      summary: 'Get a pull request with the checks of its commits and why they failed',
      params: Type.Object({
        integrationId: Uuid,
        number: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
      }),
      query: PullRequestDetailQuery,
      answer: { schema: PullRequestDetail },
      handle: ({ params: { integrationId, number }, query: { repository } }) =>
        db.withScope(
          { integrationId },
          (tx) => readPullRequest(tx, sealer, integrationId, number, repository),
          {
            snapshot: true,
          },
        ),
    }),
  ];
}
