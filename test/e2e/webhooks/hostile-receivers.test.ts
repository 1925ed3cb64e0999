import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startWebhookProduct } from '#test/support/alerts/webhook-product.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import type { Team } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { product, receiver, subscribe, urlOf } = await startWebhookProduct();

let runs = 500;
/** A run that completes on a branch of its own. */
async function completeRun(team: Team, conclusion = 'success'): Promise<void> {
  const now = new Date().toISOString();
  const id = (runs += 1);
  const completed = { status: 'completed', conclusion, run_started_at: now, updated_at: now };
  const payload = runPayload({ id, name: 'CI', head_branch: `topic-${id}`, created_at: now, ...completed });
  assert.equal((await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload })).status, 200);
}

/** Milliseconds until `arrived` counts one more. */
async function timeUntilNext(arrived: () => number, cause: () => Promise<void>): Promise<number> {
  const before = arrived();
  const startedAt = performance.now();
  await cause();
  await waitUntil('the arrival', () => arrived() > before);
  return performance.now() - startedAt;
}

/** The longest of several times. */
async function longest(times: number, measure: () => Promise<number>): Promise<number> {
  let most = 0;
  for (let nth = 0; nth < times; nth += 1) most = Math.max(most, await measure());
  return most;
}

test('receivers of several integrations that trickle do not delay the webhook of a stranger', async () => {
  const stranger = await product.newTeam();
  const { received } = await subscribe(stranger, ['run.completed']);
  const sendOne = () =>
    timeUntilNext(
      () => received().length,
      () => completeRun(stranger),
    );
  const aloneMs = await longest(3, sendOne);
  const hostile = await Promise.all(Array.from({ length: 5 }, () => product.newTeam()));
  for (const [index, team] of hostile.entries())
    for (let nth = 0; nth < 10; nth += 1)
      await subscribe(team, ['run.completed'], `/trickle-${index}-${nth}`);
  for (const team of hostile) for (let nth = 0; nth < 3; nth += 1) await completeRun(team);
  await waitUntil(
    'many that trickle',
    () => receiver.calls.filter(({ path }) => path.startsWith('/trickle')).length >= 32,
  );
  const besideMs = await longest(3, sendOne);
  assert.ok(besideMs < 3 * Math.max(1_000, aloneMs), `${besideMs} ms, ${aloneMs} ms alone`);
});

test('chat servers of many integrations that trickle do not delay the alert of a stranger', async () => {
  const notify = async (team: Team, paths: readonly string[]): Promise<void> => {
    const channels = paths.map((path) => ({ type: 'webhook' as const, url: urlOf(path) }));
    const { status } = await team.admin.call(
      'POST',
      team.path('/notification-rules'),
      ruleBody({ channels }),
    );
    assert.equal(status, 201);
  };
  const stranger = await product.newTeam();
  await notify(stranger, ['/alert']);
  const sendOne = () =>
    timeUntilNext(
      () => receiver.callsTo('/alert').length,
      () => completeRun(stranger, 'failure'),
    );
  const aloneMs = await longest(2, sendOne);
  const hostile = await Promise.all(Array.from({ length: 25 }, () => product.newTeam()));
  for (const [index, team] of hostile.entries())
    await notify(
      team,
      Array.from({ length: 5 }, (_, nth) => `/trickle-chat-${index}-${nth}`),
    );
  for (const team of hostile) for (let nth = 0; nth < 2; nth += 1) await completeRun(team, 'failure');
  await waitUntil(
    'many that trickle',
    () => receiver.calls.filter(({ path }) => path.startsWith('/trickle-chat')).length >= 16,
  );
  const besideMs = await longest(3, sendOne);
  assert.ok(besideMs < 3 * Math.max(2_000, aloneMs), `${besideMs} ms, ${aloneMs} ms alone`);
});
