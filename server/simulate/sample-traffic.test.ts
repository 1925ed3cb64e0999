import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeliveryPage } from '#contract/deliveries/deliveries.ts';
import type { SampleTraffic } from '#contract/integrations/integrations.ts';
import { startTestProgram } from '#test/support/product/test-program.ts';
import { startSignInProduct } from '#test/support/identity/signed-in-product.ts';
import { signInAsDemo } from '#test/support/identity/demo-sign-in.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { sampleEvents } from './sample-traffic.ts';
import { addToTeam } from '#test/support/team/people.ts';

const program = await startTestProgram({}, ['api']);
const { database, publicUrl } = program;
const browser = await signInAsDemo(publicUrl);

const post = (integrationId: string, who = browser): Promise<Response> =>
  who.fetch(`${publicUrl}/api/integrations/${integrationId}/sample-traffic`, {
    method: 'POST',
    headers: { origin: publicUrl },
  });

async function codeOf(answer: Response): Promise<[number, string]> {
  return [answer.status, ((await answer.json()) as { code: string }).code];
}

test('sample traffic sends signed webhooks at once, and a second request meanwhile is a conflict', async () => {
  const { integrationId } = await program.createIntegration();
  const other = await program.createIntegration();
  const answer = await post(integrationId);
  assert.equal(answer.status, 202);
  const { events, seconds } = (await answer.json()) as SampleTraffic;
  assert.ok(events > 100 && events < 1500, String(events));
  assert.ok(seconds >= 5 && seconds <= 75, String(seconds));
  assert.deepEqual(await codeOf(await post(integrationId)), [409, 'conflict']);
  assert.equal((await post(other.integrationId)).status, 202);
  await waitUntil('a delivery is there', async () => {
    const list = await browser.fetch(`${publicUrl}/api/integrations/${integrationId}/deliveries`);
    return ((await list.json()) as DeliveryPage).items.length > 0;
  });
});

test('sample traffic is refused without the admin role', async () => {
  const { integrationId } = await program.createIntegration();
  const stranger = await signInAsDemo(publicUrl, 'Ann');
  assert.deepEqual(await codeOf(await post(integrationId, stranger)), [403, 'insufficient_role']);
  const { userId } = (await (await stranger.fetch(`${publicUrl}/api/user`)).json()) as { userId: string };
  await addToTeam(database, integrationId, userId, 'member');
  assert.deepEqual(await codeOf(await post(integrationId, stranger)), [403, 'insufficient_role']);
  const path = `/api/integrations/${integrationId}/sample-traffic`;
  assert.deepEqual(await codeOf(await fetch(publicUrl + path, { method: 'POST' })), [401, 'unauthenticated']);
});

test('sample traffic is rate limited', async () => {
  const { integrationId } = await program.createIntegration();
  const answers = await Promise.all(Array.from({ length: 15 }, () => post(integrationId)));
  const statuses = new Set(answers.map(({ status }) => status));
  assert.ok(statuses.has(429), [...statuses].join());
});

test('sample traffic has no route without the demo sign-in', async () => {
  const real = await startSignInProduct();
  const person = await real.newSession('ann');
  const created = await person.fetch(`${real.publicUrl}/api/integrations`, {
    method: 'POST',
    headers: { origin: real.publicUrl, 'content-type': 'application/json' },
    body: JSON.stringify({ label: 'Real' }),
  });
  const { integrationId } = (await created.json()) as { integrationId: string };
  const answer = await person.fetch(`${real.publicUrl}/api/integrations/${integrationId}/sample-traffic`, {
    method: 'POST',
    headers: { origin: real.publicUrl },
  });
  assert.deepEqual(await codeOf(answer), [404, 'not_found']);
});

test('sample traffic has no future time, and every run completes', () => {
  const now = Date.parse('2026-11-22T10:00:00Z');
  for (let seed = 0; seed < 20; seed++) {
    const events = sampleEvents(now + seed);
    assert.ok(events.length > 100, String(events.length));
    assert.ok(events.every(({ at }) => at <= now + seed));
    const last = new Map<number, string>();
    for (const { eventType, payload } of events)
      if (eventType === 'workflow_run') last.set(payload.workflow_run.id, payload.action);
    assert.deepEqual([...new Set(last.values())], ['completed']);
  }
});
