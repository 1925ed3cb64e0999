import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { Compile } from 'typebox/compile';
import { RunFailures } from '#contract/failures/failures.ts';
import type { TestDatabase } from '#test/support/database/test-database.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { newRun, type ForgeRepositoryState, type ForgeRun } from './forge-repositories.ts';
import type { startLinkedProduct } from './linked-team.ts';
import { postWebhook } from './post-webhook.ts';

type LinkedProduct = Awaited<ReturnType<typeof startLinkedProduct>>;
type LinkedTeam = Awaited<ReturnType<LinkedProduct['newLinkedTeam']>>;

const check = Compile(RunFailures);

export interface FailedRun {
  run: ForgeRun;
  job: { id: number };
}

/** A failed run with one job in the repository, which the forge has not reported yet. */
export function failedRun(repository: ForgeRepositoryState): FailedRun {
  const run = newRun(repository, new Date(Date.now() - 300_000), { conclusion: 'failure' });
  const times = { started_at: '2026-11-20T12:00:00Z', completed_at: '2026-11-20T12:00:10Z' };
  const steps = [{ number: 1, name: 'Run npm test', status: 'completed', conclusion: 'failure', ...times }];
  const job = { ...run.jobs[0], conclusion: 'failure', name: 'build', steps } as unknown as { id: number };
  run.jobs[0] = job as never;
  repository.runs = [run, ...repository.runs];
  return { run, job };
}

/** Lets the forge report the run and its job. */
export async function reportRun(
  { product }: LinkedProduct,
  team: LinkedTeam,
  repository: ForgeRepositoryState,
  { run, job }: FailedRun,
): Promise<void> {
  const place = { id: repository.id, full_name: repository.name, default_branch: 'main' };
  for (const [event, object] of [
    ['workflow_run', run.attempts[0]],
    ['workflow_job', job],
  ] as const)
    await postWebhook(product.baseUrl, team, { event, payload: { [event]: object, repository: place } });
}

/** Lets the logs that wait for another try be read now. */
export async function retryLogs({ asOwner }: TestDatabase, integrationId: string): Promise<void> {
  await asOwner('update pending_failures set due_at = now() where group_id = $1', [integrationId]);
  await asOwner(
    `update tasks set due_at = now() where integration_id = $1 and kind = 'forge-logs' and leased_until is null`,
    [integrationId],
  );
}

type Viewed = Pick<LinkedTeam, 'viewer' | 'path'>;

export async function failureOf(
  team: Viewed,
  runId: number,
): Promise<RunFailures['items'][number] | undefined> {
  const { status, body } = await team.viewer.call('GET', team.path(`/workflows/${runId}/failures`));
  if (status === 404) return undefined;
  assert.ok(check.Check(body));
  return body.items[0];
}

export function untilLogIs(team: Viewed, runId: number, state: string) {
  return waitUntil(`the log to be ${state}`, async () => {
    await delay(100);
    const failure = await failureOf(team, runId);
    return failure?.log === state ? failure : undefined;
  });
}
