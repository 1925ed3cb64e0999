import { forgeErrors } from '#server/forges/explain-failure.ts';
import { Type } from 'typebox';
import { RerunBody, RunActions } from '#contract/runs/run-actions.ts';
import { Uuid } from '#contract/base/schema.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { route, type Route } from '#server/route.ts';
import { actOnRun, readRunActions, type ActDeps, type RunAction } from './act-on-run.ts';

const path = '/api/integrations/:integrationId/workflows/:runId';
const params = Type.Object({
  integrationId: Uuid,
  runId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
});
/** The forge limits all callers of a connection together: one person must not use its budget up. */
const rateLimits = [{ perMinute: 20, by: 'caller' as const }];

export function runActionRoutes(deps: ActDeps): Route[] {
  return [
    route('GET', `${path}/actions`, {
      access: { role: 'viewer' },
      summary: 'Tell whether a run can be re-run and cancelled from here',
      params,
      answer: { schema: RunActions },
      handle: ({ params: { integrationId, runId } }) => readRunActions(deps, integrationId, runId),
    }),
    route('POST', `${path}/rerun`, {
      access: { role: 'member' },
      summary:
        'Re-run the failed jobs, all jobs or one job of a run at the forge; 409 `forge_refused` contains the words of the forge',
      params,
      body: RerunBody,
      rateLimits,
      errors: ['forge_not_connected', ...forgeErrors],
      answer: { status: 202 },
      handle: ({ actor, params: { runId }, body }) => actOnRun(deps, actor, runId, actionOf(body)),
    }),
    route('POST', `${path}/cancel`, {
      access: { role: 'member' },
      summary: 'Cancel a run at the forge; 409 `forge_refused` contains the words of the forge',
      params,
      rateLimits,
      errors: ['forge_not_connected', ...forgeErrors],
      answer: { status: 202 },
      handle: ({ actor, params: { runId } }) => actOnRun(deps, actor, runId, { kind: 'cancel' }),
    }),
  ];
}

function actionOf({ scope, jobId }: RerunBody): RunAction {
  if ((scope === 'job') !== (jobId !== undefined))
    throw new AppError('invalid_request', {
      detail: 'The field jobId is needed with the scope job and not allowed with another one.',
    });
  if (jobId !== undefined) return { kind: 'rerun_job', jobId };
  return { kind: scope === 'failed' ? 'rerun_failed' : 'rerun_all' };
}
