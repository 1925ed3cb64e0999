import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CreatedIntegration, Integration } from '#contract/integrations/integrations.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTeamProduct, type AnswerBody } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { Compile } from 'typebox/compile';
import { ageRows } from '#test/support/database/rows.ts';

const product = await startTeamProduct();
const { baseUrl, entries, person, newTeam } = product;

const ping = (integration: { integrationId: string; webhookSecret: string }) =>
  postWebhook(baseUrl, integration, { event: 'ping', payload: {} });

const identityOf = (body: AnswerBody) => ({
  integrationId: String(body['integrationId']),
  webhookSecret: String(body['webhookSecret']),
});

test('the creator of an integration owns it and sees its secret once', async () => {
  const ann = await person('ann');
  const created = await ann.call('POST', '/api/integrations', { label: 'Shop “front” <b>' });
  assert.equal(created.status, 201);
  assert.ok(Compile(CreatedIntegration).Check(created.body));
  assert.equal(created.headers.get('cache-control'), 'no-store');
  assert.equal(created.body['role'], 'owner');
  assert.match(String(created.body['webhookSecret']), /^[0-9a-f]{64}$/);
  assert.equal((await ping(identityOf(created.body))).status, 200);

  const readOne = () => ann.call('GET', `/api/integrations/${created.body['integrationId']}`);
  await waitUntil('the use of the secret to be noted', async () => {
    return (await readOne()).body['lastSecretUsed'] === 'current';
  });
  const one = await readOne();
  assert.ok(Compile(Integration).Check(one.body));
  const list = await ann.call('GET', '/api/integrations');
  assert.deepEqual(list.body.items, [one.body]);
  assert.equal(JSON.stringify([one.body, list.body]).includes(String(created.body['webhookSecret'])), false);
  assert.deepEqual(
    (await entries(identityOf(created.body).integrationId)).map(({ type, actorId: actor }) => [type, actor]),
    [['integration.created', ann.userId]],
  );
});

test('integrations are listed in pages, each once, in the order they were made', async () => {
  const bea = await person('bea');
  const made = [];
  for (const label of ['one', 'two', 'three']) {
    made.push((await bea.call('POST', '/api/integrations', { label })).body['integrationId']);
  }
  const first = await bea.call('GET', '/api/integrations?limit=2');
  const second = await bea.call('GET', `/api/integrations?limit=2&cursor=${first.body.nextCursor}`);
  const seen = [...first.body.items, ...second.body.items].map(({ integrationId }) => integrationId);
  assert.deepEqual([seen, second.body.nextCursor], [made, null]);
  assert.equal((await bea.call('GET', '/api/integrations?cursor=nonsense')).status, 400);
});

test('a label is one line of 1 to 100 characters, and nothing else can be set with it', async () => {
  const ann = await person('ann');
  for (const body of [
    {},
    { label: '' },
    { label: ' \t' },
    { label: 'a\u0000' },
    { label: 'a\u202eb' },
    { label: 'a\u200bb' },
    { label: 'x'.repeat(101) },
    { label: 1 },
    { label: 'x', role: 'owner' },
    { label: 'x', integrationId: '11111111-1111-4111-8111-111111111111' },
    { label: 'x', webhookSecret: 'mine' },
  ]) {
    const { status, body: problem } = await ann.call('POST', '/api/integrations', body);
    assert.deepEqual([status, problem.code], [400, 'invalid_request'], JSON.stringify(body));
  }
});

test('a label that turns the direction of text is refused in words', async () => {
  const { body } = await (await person('ann')).call('POST', '/api/integrations', { label: 'a\u202eb' });
  assert.deepEqual(body['errors'], [
    {
      field: 'label',
      message:
        'must be one line of 1 to 100 characters, without invisible characters and those that change the direction of text',
    },
  ]);
});

test('an admin renames, everybody sees it, and the log tells from what', async () => {
  const { admin, viewer, path, integrationId } = await newTeam('Before');
  const renamed = await admin.call('PATCH', path(), { label: 'After' });
  assert.deepEqual([renamed.status, renamed.body['label']], [200, 'After']);
  assert.equal((await viewer.call('GET', path())).body['label'], 'After');
  await admin.call('PATCH', path(), { label: 'After' });
  const told = (await entries(integrationId)).filter(({ type }) => type === 'integration.renamed');
  assert.deepEqual(told, [
    {
      type: 'integration.renamed',
      title: 'The integration was renamed from “Before” to “After”',
      actorId: admin.userId,
    },
  ]);
});

test('after a rotation both secrets verify, the integration shows which was used and until when', async () => {
  const team = await newTeam();
  const { admin, viewer, path } = team;
  await ping(team);
  // Noted after the answer: of a use that was not noted before the rotation nothing is known.
  await waitUntil(
    'the use of the first one to show',
    async () => (await viewer.call('GET', path())).body['lastSecretUsed'] === 'current',
  );
  const rotated = await admin.call('POST', path('/rotate-secret'), {});
  assert.equal(rotated.status, 200);
  assert.equal(rotated.headers.get('cache-control'), 'no-store');
  const renewed = { ...team, webhookSecret: rotated.body['webhookSecret'] as string };
  const hours = (Date.parse(String(rotated.body['previousSecretValidUntil'])) - Date.now()) / 3_600_000;
  assert.ok(hours > 23.9 && hours <= 24, String(hours));
  const shown = await viewer.call('GET', path());
  assert.equal(shown.body['previousSecretValidUntil'], rotated.body['previousSecretValidUntil']);
  assert.equal(shown.body['lastSecretUsed'], 'previous');
  await waitUntil('the new secret to be known', async () => (await ping(renewed)).ok);
  assert.equal((await ping(team)).status, 200);
  await ping(renewed);
  await waitUntil(
    'the use of the new one to show',
    async () => (await viewer.call('GET', path())).body['lastSecretUsed'] === 'current',
  );
  const ofTeam = { integration_id: team.integrationId };
  await ageRows(product.database, 'integrations.previous_secret_valid_until', '7 days', ofTeam);
  assert.equal((await viewer.call('GET', path())).body['previousSecretValidUntil'], null);
  await waitUntil('the old secret to end', async () => (await ping(team)).status === 401);
  await admin.call('POST', path('/rotate-secret'), { graceHours: 0 });
  assert.equal((await viewer.call('GET', path())).body['lastSecretUsed'], null);
});

test('a rotation without grace ends the old secret, and two in a row the one before', async () => {
  const team = await newTeam();
  const { owner, path, integrationId } = team;
  const rotated = await owner.call('POST', path('/rotate-secret'), { graceHours: 0 });
  assert.equal(rotated.body['previousSecretValidUntil'], null);
  await waitUntil('the old secret to end', async () => (await ping(team)).status === 401);
  const secrets = [identityOf(rotated.body).webhookSecret];
  for (let count = 0; count < 2; count++)
    secrets.push(
      identityOf((await owner.call('POST', path('/rotate-secret'), { graceHours: 1 })).body).webhookSecret,
    );
  await waitUntil(
    'the one before the previous to end',
    async () => (await ping({ integrationId, webhookSecret: secrets[0]! })).status === 401,
  );
  assert.equal((await ping({ integrationId, webhookSecret: secrets[1]! })).status, 200);
  for (const graceHours of [-1, 169, 1.5, '24'])
    assert.equal((await owner.call('POST', path('/rotate-secret'), { graceHours })).status, 400);
  const logged = product.logged() + JSON.stringify(await entries(integrationId));
  for (const secret of secrets) assert.equal(logged.includes(secret), false);
});

test('an admin chooses the events, none included; anything else is refused', async () => {
  const { admin, path, integrationId } = await newTeam();
  for (const events of [['workflow_run', 'pull_request'], ['pull_request', 'workflow_run'], []]) {
    const chosen = await admin.call('PUT', path('/webhook-events'), { events });
    assert.deepEqual([chosen.status, chosen.body['webhookEvents']], [200, events]);
  }
  // The same in another order is no change.
  for (const events of [['ping'], ['workflow_run', 'workflow_run'], 'workflow_run', null])
    assert.equal((await admin.call('PUT', path('/webhook-events'), { events })).status, 400);
  const told = (await entries(integrationId)).filter(({ type }) => type === 'integration.events_changed');
  assert.equal(told.length, 2);
});

test('a deleted integration is gone for everybody at once, and its webhooks are refused', async () => {
  const team = await newTeam();
  const { owner, admin, viewer, path } = team;
  assert.equal((await admin.call('DELETE', path())).status, 403);
  assert.equal((await owner.call('DELETE', path())).status, 204);
  for (const each of [owner, viewer]) {
    const { status, body } = await each.call('GET', path());
    assert.deepEqual([status, body.code], [403, 'insufficient_role']);
  }
  await waitUntil('the secret to end', async () => (await ping(team)).status === 401);
  assert.match(product.logged(), new RegExp(`"audit":"integration.deleted".*${team.integrationId}`));
});
