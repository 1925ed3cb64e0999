import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { WebSocket } from 'ws';
import type { RuleBody } from '#contract/alerts/alerts.ts';
import { bodyOf } from '#test/support/alerts/notification-receiver.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { startWebhookProduct } from '#test/support/alerts/webhook-product.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { untilQueueIsIdle } from '#test/support/queue/idle-queue.ts';
import type { Team } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { product, receiver, urlOf, newPath, subscribe } = await startWebhookProduct();
const startedAt = Date.now() - 3_600_000;
let minutes = 0;

interface Named {
  repository?: string;
  repositoryId?: number;
  workflow?: string;
  workflowId?: number;
  conclusion?: string;
}

/** Stores a completed run and its job, a minute after the ones before. Returns the id of the run. */
async function send(
  team: Team,
  {
    repository: full_name = 'acme/site',
    repositoryId = 70,
    workflow = 'CI',
    workflowId = 7,
    conclusion = 'success',
  }: Named,
): Promise<number> {
  minutes += 1;
  const id = minutes;
  const at = (seconds: number): string => new Date(startedAt + id * 60_000 + seconds * 1000).toISOString();
  const html_url = `https://github.com/${full_name}`;
  const repository = { id: repositoryId, full_name, default_branch: 'main', html_url };
  const url = `${html_url}/actions/runs/${id}`;
  const of = { status: 'completed', conclusion, head_branch: 'main', head_sha: String(id).padStart(40, '0') };
  const run = {
    id,
    run_number: id,
    run_attempt: 1,
    workflow_id: workflowId,
    event: 'push',
    ...of,
    head_repository: repository,
    pull_requests: [],
    display_title: `Change ${id}`,
    created_at: at(0),
    run_started_at: at(0),
    updated_at: at(30),
    html_url: url,
    actor: { login: 'ann' },
    triggering_actor: { login: 'ann' },
  };
  const job = {
    id,
    run_id: id,
    run_attempt: 1,
    name: 'test',
    workflow_name: workflow,
    labels: ['linux'],
    steps: [],
    ...of,
    created_at: at(1),
    started_at: at(2),
    completed_at: at(29),
    runner_name: 'one',
  };
  const file = { id: workflowId, name: workflow, path: `.github/workflows/${workflowId}.yml` };
  const events: [string, object][] = [
    ['workflow_run', { workflow: file, workflow_run: run }],
    ['workflow_job', { workflow_job: job }],
  ];
  for (const [event, body] of events) {
    const payload = { action: 'completed', repository, ...body };
    assert.equal((await postWebhook(product.baseUrl, team, { event, payload })).status, 200);
  }
  await untilQueueIsIdle(product.database);
  return id;
}

async function text(team: Team, path: string): Promise<string> {
  const answer = await team.owner.browser.fetch(product.publicUrl + path);
  assert.equal(answer.status, 200, path);
  return answer.text();
}

/** Returns the messages of an open screen, which grow. */
async function openScreen(team: Team): Promise<string[]> {
  const { body } = await team.owner.call('GET', '/api/auth/ws-token');
  const socket = new WebSocket(`${String(body['url'])}?channel=workflows&token=${String(body['token'])}`);
  after(() => socket.terminate());
  const messages: string[] = [];
  socket.on('message', (data: Buffer) => messages.push(data.toString()));
  await once(socket, 'open');
  return messages;
}

const day = (count: number): string => new Date(Date.now() + count * 86_400_000).toISOString();

const runIds = async (team: Team, query: string): Promise<number[]> => {
  const { items } = JSON.parse(await text(team, team.path(`/workflows?${query}`))) as {
    items: { runId: number }[];
  };
  return items.map(({ runId }) => runId);
};

async function addRule(team: Team, fields: Partial<RuleBody>): Promise<string> {
  const path = newPath();
  const body = { ...ruleBody(fields), channels: [{ type: 'webhook', url: urlOf(path) }] };
  const answer = await team.admin.call('POST', team.path('/notification-rules'), body);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return path;
}

const only = (...include: string[]) => ({ include, exclude: [] });
const newName = { repository: 'acme/shop', workflow: 'Build and test' };

/** Fails on the first names, where they stand alone and not in a longer one. */
function showsNewest(what: string, shown: string, needs: readonly string[] = Object.values(newName)): void {
  for (const name of needs) assert.ok(shown.includes(name), `${what} lacks ${name}: ${shown}`);
  assert.doesNotMatch(shown, /acme\/site(?!\/actions)|\bCI\b/, what);
}

test('every list, format and message shows the newest name of what was renamed', async () => {
  const team = await product.newTeam('Renamed');
  const first = await send(team, {});
  const made = await team.admin.call('POST', team.path('/badges'), {
    repository: 'acme/site',
    workflow: 'CI',
  });
  assert.equal(made.status, 201);
  const rules = {
    old: await addRule(team, { name: 'Old', repositories: only('acme/site'), workflows: only('CI') }),
    new: await addRule(team, { name: 'New', repositories: only('acme/sh*'), workflows: only('Build*') }),
    without: await addRule(team, { name: 'Without', repositories: { include: [], exclude: ['acme/shop'] } }),
  };
  const { received } = await subscribe(team, ['run.completed']);
  const updates = await openScreen(team);
  const second = await send(team, { ...newName, conclusion: 'failure' });

  for (const path of [rules.old, rules.new]) {
    const [call] = await waitUntil('the notification', () => {
      const calls = receiver.callsTo(path);
      return calls.length > 0 && calls;
    });
    showsNewest('a notification', call!.body);
  }
  assert.deepEqual(receiver.callsTo(rules.without), []);
  const [sent] = await waitUntil('the outgoing webhook', () => received().length > 0 && received());
  showsNewest('an outgoing webhook', JSON.stringify(bodyOf(sent!)));
  const update = await waitUntil('the update of an open screen', () =>
    updates.find((each) => each.includes(`"runId":${second}`)),
  );
  showsNewest('an update', update);
  for (const [path, needs] of [
    ['/workflows'],
    ['/workflows?repository=acme%2Fsite&workflow=CI'],
    [`/workflows/${first}`],
    [`/workflows/${second}`],
    [`/workflows/${second}/failures`, []],
    ['/workflows/facets'],
    ['/jobs'],
    ['/incidents'],
    ['/overview'],
    ['/wallboard'],
    [`/metrics?from=${day(-1)}&to=${day(1)}&granularity=day&groupBy=workflow`],
    ['/failure-groups'],
    ['/notification-rules/known-workflows'],
    ['/badges'],
    ['/cctray.xml'],
    ['/incidents.atom'],
    ['/metrics.txt', ['shop', newName.workflow]],
  ] as const)
    showsNewest(path, await waitedFor(team, path), needs);
  const badge = made.body as unknown as { endpointUrl: string };
  showsNewest('the badge', await (await fetch(badge.endpointUrl)).text(), [newName.workflow]);
  for (const q of ['shop', 'site']) {
    const found = await text(team, `/api/search/runs?q=${q}`);
    const { items } = JSON.parse(found) as { items: { items: unknown[] }[] };
    assert.equal(items[0]?.items.length, 2, q);
    showsNewest('the search', found);
  }
  const log = await text(team, team.path('/event-log?type=run,incident'));
  showsNewest('the event log', log);

  for (const query of [
    'repository=acme/site',
    'repository=acme/shop',
    'workflow=CI',
    'workflow=Build and test',
    'repository=acme/shop&workflow=CI',
  ])
    assert.deepEqual(await runIds(team, encodeURI(query)), [second, first], query);

  // A name in between is followed too, and the badge and hiding take the newest one.
  const third = await send(team, { repository: 'acme/store', workflow: 'Test', conclusion: 'failure' });
  for (const query of ['repository=acme/site', 'repository=acme/shop', 'workflow=Build and test'])
    assert.deepEqual(await runIds(team, encodeURI(query)), [third, second, first], query);
  await waitedFor(team, '/workflows', 'acme/store');
  const named = { repository: 'acme/store', workflow: 'Test' };
  const again = await team.admin.call('POST', team.path('/badges'), named);
  assert.equal(again.status, 409, 'the workflow has its badge already');
  const owner = { email: 'store@example.com' };
  const owned = await team.admin.call('PUT', team.path('/workflow-owner'), { ...named, owner });
  assert.equal(owned.status, 200);
  await waitUntil('an incident of the owner', async () =>
    (await text(team, team.path('/incidents?status=open'))).includes(owner.email),
  );
  const hidden = await team.admin.call('POST', team.path('/hidden-workflows'), named);
  assert.equal(hidden.status, 201);
  for (const name of ['acme/store', '"Test"'])
    assert.ok((await waitedFor(team, '/hidden-workflows', name)).includes(name), name);
  assert.deepEqual((JSON.parse(await text(team, team.path('/wallboard'))) as { tiles: unknown[] }).tiles, []);
});

/** Names are read once a second at most. */
async function waitedFor(team: Team, path: string, name = newName.workflow): Promise<string> {
  let shown = '';
  let tries = 0;
  await waitUntil(`an answer of ${path}`, async () => {
    shown = await text(team, team.path(path));
    tries += 1;
    return shown.includes(name) || tries > 30;
  });
  return shown;
}

test('a new repository that takes the old name of another is another one', async () => {
  const team = await product.newTeam('Taken');
  const old = await send(team, {});
  const renamed = await send(team, { repository: 'acme/shop' });
  const taker = await send(team, { repositoryId: 71, workflowId: 8 });
  const query = (name: string): string => `repository=${encodeURIComponent(name)}`;
  assert.deepEqual(await runIds(team, query('acme/site')), [taker]);
  assert.deepEqual(await runIds(team, query('acme/shop')), [renamed, old]);
  const wall = await waitedFor(team, '/wallboard', 'acme/shop');
  assert.match(wall, /"acme\/site"/);
  assert.match(wall, /"acme\/shop"/);
  // Two workflows of one repository that have one name are told apart by their files, until one is renamed.
  await send(team, { repositoryId: 71, workflowId: 9 });
  const names = async (): Promise<string[]> => {
    const { tiles } = JSON.parse(await text(team, team.path('/wallboard'))) as {
      tiles: { repository: string; workflow: string }[];
    };
    return tiles.filter(({ repository }) => repository === 'acme/site').map(({ workflow }) => workflow);
  };
  await waitUntil('two names', async () => (await names()).toSorted().join() === 'CI,CI (9.yml)');
  await send(team, { repositoryId: 71, workflowId: 8, workflow: 'Lint' });
  await waitUntil('the short name', async () => (await names()).toSorted().join() === 'CI,Lint');
});

test('a repository that is made again after it was deleted has its name, and the deleted one its id beside it', async () => {
  const team = await product.newTeam('Made again');
  const deleted = await send(team, { conclusion: 'failure' });
  const again = [await send(team, { repositoryId: 71, workflowId: 8 })];
  const repositories = async (): Promise<string[]> => {
    const { items } = JSON.parse(await text(team, team.path('/workflows'))) as {
      items: { runId: number; repository: string }[];
    };
    return items.map(({ runId, repository }) => `${runId} ${repository}`);
  };
  const expected = (): string[] => [
    ...again.map((runId) => `${runId} acme/site`),
    `${deleted} acme/site (70)`,
  ];
  assert.deepEqual(await repositories(), expected());
  again.unshift(await send(team, { repositoryId: 71, workflowId: 8 }));
  assert.deepEqual(await repositories(), expected());
  assert.deepEqual(await runIds(team, `repository=${encodeURIComponent('acme/site')}`), again);
  assert.deepEqual(await runIds(team, `repository=${encodeURIComponent('acme/site (70)')}`), [deleted]);
  // The other one is renamed, and nothing is told about the first.
  again.unshift(await send(team, { repository: 'acme/shop', repositoryId: 71, workflowId: 8 }));
  const free = [...again.map((runId) => `${runId} acme/shop`), `${deleted} acme/site`].join();
  await waitUntil('the name without the id', async () => (await repositories()).join() === free);
});
