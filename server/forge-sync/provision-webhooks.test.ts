import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queuedEvents } from '#contract/integrations/integrations.ts';
import { newRepository, type ForgeRepositoryState } from '#test/support/forge/forge-repositories.ts';
import { startLinkedProduct } from '#test/support/forge/linked-team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { runTaskNow } from '#test/support/forge/run-task-now.ts';
import { countRows, readRows, updateRows } from '#test/support/database/rows.ts';

const { forge, product, newLinkedTeam } = await startLinkedProduct();
const { database, publicUrl } = product;

const webhooksOf = (repositories: ForgeRepositoryState[]) =>
  repositories.map(({ webhooks }) =>
    webhooks.map(({ active, events, config }) => ({ active, events, ...config })),
  );

test('each repository gets one webhook with the address, events and secret, and follows when they change', async () => {
  const repositories = [newRepository('octo-org/one'), newRepository('octo-org/two')];
  const team = await newLinkedTeam([...repositories, newRepository('octo-org/old', { isArchived: true })]);
  await team.provisioned();
  const url = `${publicUrl}/api/import/${team.integrationId}`;
  const events = [...queuedEvents];
  const webhook = { active: true, events, url, secret: team.webhookSecret, content_type: 'json' };
  assert.deepEqual(webhooksOf(repositories), [[webhook], [webhook]]);
  assert.deepEqual((await team.state()).webhooks, {
    state: 'done',
    repositories: 2,
    provisioned: 2,
    error: null,
  });

  await team.admin.call('PUT', team.path('/webhook-events'), { events: ['workflow_run'] });
  const following = { ...webhook, events: ['workflow_run'] };
  await waitUntil('fewer events', () =>
    repositories.every(({ webhooks }) => webhooks[0]?.events.length === 1),
  );
  assert.deepEqual(webhooksOf(repositories), [[following], [following]]);

  await team.admin.call('PUT', team.path('/webhook-events'), { events: [] });
  await waitUntil('silent webhooks', () =>
    repositories.every(({ webhooks }) => webhooks[0]?.active === false),
  );
  await team.admin.call('PUT', team.path('/webhook-events'), { events: ['workflow_run'] });

  const rotated = await team.admin.call('POST', team.path('/rotate-secret'), { graceHours: 1 });
  await waitUntil('the new secret', () =>
    repositories.every(({ webhooks }) => webhooks[0]?.config.secret === rotated.body['webhookSecret']),
  );
  const answer = await team.post({ zen: 'no run' }, repositories[0]!.webhooks[0]!.config.secret);
  assert.equal(answer.status, 200);
});

test('an added repository gets its webhook with the next reading of the installation', async () => {
  const repositories = [newRepository('octo-org/first')];
  const team = await newLinkedTeam(repositories);
  await team.provisioned();
  repositories.push(newRepository('octo-org/second'));
  await team.admin.call('POST', team.path(`/forge-app/${team.installationId}/sync`));
  await waitUntil('a webhook', () => repositories[1]?.webhooks.length === 1);
});

test('a manually created webhook is adopted, and one deleted at the forge is created again', async () => {
  const repository = newRepository('octo-org/mine');
  const team = await newLinkedTeam([repository], { linkNow: false });
  const url = `${publicUrl}/api/import/${team.integrationId}`;
  repository.webhooks.push({
    id: 5,
    active: false,
    events: ['push'],
    config: { url, secret: 'x', content_type: 'form' },
  });
  await team.link();
  await team.provisioned();
  assert.deepEqual(
    repository.webhooks.map(({ id, active, config }) => ({ id, active, secret: config.secret })),
    [{ id: 5, active: true, secret: team.webhookSecret }],
  );
  repository.webhooks = [];
  await team.admin.call('PUT', team.path('/webhook-events'), { events: ['workflow_run'] });
  await waitUntil('another webhook', () => repository.webhooks.length === 1);
});

test('a repository that refuses webhooks is reported and delays no other', async () => {
  const repositories = [
    newRepository('octo-org/aaa', { refusesWebhooks: 403 }),
    newRepository('octo-org/bbb'),
  ];
  const team = await newLinkedTeam(repositories);
  await waitUntil('a refusal', async () => (await team.state()).webhooks.state === 'failed');
  await waitUntil('the other webhook', async () => (await team.state()).webhooks.provisioned === 1);
  assert.match((await team.state()).webhooks.error ?? '', /permission to write repository webhooks/);
});

type OfIntegration = { integrationId: string };

/** Waits for a turn to have failed, so many after another, and answers for how many seconds the next is put off. */
const setFailures = (failures: number, { integrationId }: OfIntegration) =>
  waitUntil(`failure ${failures}`, async () => {
    const task = { integration_id: integrationId, kind: 'forge-webhooks', leased_until: null, failures };
    const [row] = await readRows<{ due_at: Date }>(database, 'tasks', task);
    return row && (Number(row.due_at) - Date.now()) / 1000;
  });
const tryNow = ({ integrationId }: OfIntegration) => runTaskNow(database, integrationId, 'forge-webhooks');
const isForgotten = async ({ integrationId }: OfIntegration) => {
  const ofTeam = { integration_id: integrationId };
  const tasks = await countRows(database, 'tasks', ofTeam);
  return tasks + (await countRows(database, 'linked_repositories', ofTeam)) === 0;
};
const limit = { status: 403, message: 'You have exceeded a secondary rate limit.' };

test('a rate limit that only the message reports delays the webhooks and refuses none', async () => {
  const repository = newRepository('octo-org/limited');
  forge.interfere = (call) => (call.includes('/octo-org/limited/hooks') ? limit : undefined);
  const team = await newLinkedTeam([repository]);
  const first = await setFailures(1, team);
  await tryNow(team);
  const second = await setFailures(2, team);
  assert.ok(first >= 55 && first <= 120 && second >= 55 && second <= 240, `${first}, ${second}`);
  assert.match((await team.state()).webhooks.error ?? '', /rate limit/);
  forge.interfere = undefined;
  await tryNow(team);
  await team.provisioned();
  assert.equal(repository.webhooks.length, 1);
});

test('a webhook that cannot be deleted yet is deleted later and delays no other', async () => {
  const repositories = [newRepository('octo-org/kept'), newRepository('octo-org/let-go')];
  const team = await newLinkedTeam(repositories);
  await team.provisioned();
  forge.interfere = (call) => (call.startsWith('DELETE /repos/octo-org/') ? limit : undefined);
  await team.admin.call('DELETE', team.path(`/forge-app/${team.installationId}`));
  await setFailures(1, team);
  assert.equal(repositories.flatMap(({ webhooks }) => webhooks).length, 2);

  forge.interfere = undefined;
  repositories[0]!.refusesWebhooks = 403;
  await tryNow(team);
  const seconds = await setFailures(2, team);
  assert.deepEqual(
    repositories.map(({ webhooks }) => webhooks.length),
    [1, 0],
  );
  assert.ok(seconds > 3500 && seconds <= 3600);
  repositories[0]!.refusesWebhooks = undefined;
  await tryNow(team);
  await waitUntil('no webhook', () => repositories[0]?.webhooks.length === 0);
});

test('a webhook whose removal is refused for a day is left at the forge', async () => {
  const repository = newRepository('octo-org/archived-since');
  const team = await newLinkedTeam([repository]);
  await team.provisioned();
  repository.refusesWebhooks = 403;
  await team.admin.call('DELETE', team.path(`/forge-app/${team.installationId}`));
  await setFailures(1, team);
  await updateRows(database, 'tasks', { failures: 24 }, { integration_id: team.integrationId });
  await tryNow(team);
  await waitUntil('nothing left to do', () => isForgotten(team));
});

test('unlinking and deleting the integration delete the webhooks at the forge', async () => {
  for (const end of ['unlink', 'delete'] as const) {
    const repositories = [newRepository('octo-org/one'), newRepository('octo-org/two')];
    const team = await newLinkedTeam(repositories);
    await team.provisioned();
    const { status } =
      end === 'unlink'
        ? await team.admin.call('DELETE', team.path(`/forge-app/${team.installationId}`))
        : await team.owner.call('DELETE', team.path(''));
    assert.equal(status, 204);
    await waitUntil('no webhook', () => repositories.every(({ webhooks }) => webhooks.length === 0));
    await waitUntil('nothing left to do', () => isForgotten(team));
  }
});

test('a repeated link during the removal of webhooks restores them', async () => {
  const repository = newRepository('octo-org/again');
  const team = await newLinkedTeam([repository]);
  await team.provisioned();
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  forge.interfere = async (call) => {
    if (!call.startsWith('DELETE /repos/octo-org/again/hooks')) return undefined;
    asked.resolve();
    await answered.promise;
    return undefined;
  };
  await team.admin.call('DELETE', team.path(`/forge-app/${team.installationId}`));
  await asked.promise;
  await team.link();
  answered.resolve();
  await waitUntil('the webhook', () => repository.webhooks.length === 1);
  forge.interfere = undefined;
  await team.provisioned();
  assert.equal(repository.webhooks[0]?.config.secret, team.webhookSecret);
});

test('webhooks of an installation that is unlinked during a suspension are deleted when it ends', async () => {
  const repository = newRepository('octo-org/paused');
  const team = await newLinkedTeam([repository]);
  await team.provisioned();
  // Until then the forge may still be asked, which knows of no suspension.
  await team.synced();
  await team.tell('installation', 'suspend');
  await waitUntil('the suspension', async () => (await team.state()).isSuspended);
  await team.admin.call('DELETE', team.path(`/forge-app/${team.installationId}`));
  await waitUntil('a turn', async () => {
    const task = { integration_id: team.integrationId, kind: 'forge-webhooks' };
    const [row] = await readRows<{ due_at: Date }>(database, 'tasks', task);
    return Number(row?.due_at) > Date.now() + 3_600_000;
  });
  assert.equal(repository.webhooks.length, 1);
  await team.tell('installation', 'unsuspend');
  await waitUntil('no webhook', () => repository.webhooks.length === 0);
});
