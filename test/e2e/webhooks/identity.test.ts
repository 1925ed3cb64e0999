import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Incident } from '#contract/alerts/incidents.ts';
import type { Wall } from '#contract/integrations/wallboard.ts';
import type { WorkflowRunDetail } from '#contract/runs/runs.ts';
import type { CreatedIntegration } from '#server/integrations/create-integration.ts';
import { startAlertProgram } from '#test/support/alerts/alert-program.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { program, call, items, addRule, mailsTo } = await startAlertProgram();

interface Delivery {
  event: string;
  forge?: string;
  payload: object;
}

/** Fills in times: `{"$t": n}` is n seconds from now. */
function filled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(filled);
  if (typeof value !== 'object' || value === null) return value;
  if ('$t' in value)
    return new Date(Date.now() + Number(value.$t) * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, filled(each)]));
}

/** Posts recorded deliveries in order and waits until all are processed. */
async function replay(integration: CreatedIntegration, file: string): Promise<void> {
  const url = new URL(`../../vectors/webhooks/${file}.json`, import.meta.url);
  const deliveries = JSON.parse(readFileSync(url, 'utf8')) as Delivery[];
  for (const { event, forge, payload } of deliveries) {
    const headers = forge === undefined ? {} : { [`x-${forge}-event`]: event };
    const sent = await postWebhook(program.baseUrl, integration, {
      event,
      payload: filled(payload) as object,
      headers,
    });
    assert.equal(sent.status, 200);
  }
  await waitUntil('all deliveries to be processed', async () => {
    const found = await items<{ outcome: string | null; verdict: string }>(integration, 'deliveries');
    return (
      found.length >= Math.min(deliveries.length, 50) &&
      found.every(({ verdict }) => verdict === 'stored' || verdict === 'stale')
    );
  });
}

const wallOf = async (integration: CreatedIntegration): Promise<string[]> =>
  ((await (await call(integration, 'GET', 'wallboard')).json()) as Wall).tiles
    .map(({ workflow, state }) => `${workflow} ${state}`)
    .sort();

const projectsOf = async (integration: CreatedIntegration): Promise<string[]> => {
  const xml = await (await call(integration, 'GET', 'cctray.xml')).text();
  return [...xml.matchAll(/lastBuildStatus="(\w+)"/g)].map(([, status = '']) => status).sort();
};

const incidentsOf = (integration: CreatedIntegration, status: string): Promise<Incident[]> =>
  items<Incident>(integration, `incidents?status=${status}`);

async function watched(address: string): Promise<CreatedIntegration> {
  const integration = await program.createIntegration();
  await addRule(integration, { defaultBranchOnly: true, channels: [{ type: 'email', to: [address] }] });
  return integration;
}

test('runs with names of their own belong to the workflow of their file', async () => {
  const integration = await watched('run-name@example.com');
  await replay(integration, 'run-name');
  await waitUntil(
    'the incident to close',
    async () => (await incidentsOf(integration, 'closed')).length === 1,
  );
  assert.deepEqual(await incidentsOf(integration, 'open'), []);
  assert.deepEqual(await wallOf(integration), ['Deploy passed']);
  assert.deepEqual(await projectsOf(integration), ['Success']);
  await waitUntil('both mails', () => mailsTo('run-name@example.com').length === 2);
});

test('runs of Dependabot are one workflow', async () => {
  const integration = await program.createIntegration();
  await replay(integration, 'dependabot-runs');
  assert.equal((await wallOf(integration)).length, 1);
});

test('two workflows of one name do not close each other’s incidents', async () => {
  const integration = await watched('one-name@example.com');
  await replay(integration, 'two-workflows-of-one-name');
  await waitUntil('the mail', () => mailsTo('one-name@example.com').length === 1);
  assert.equal((await incidentsOf(integration, 'open')).length, 1);
  assert.deepEqual((await wallOf(integration)).map((tile) => tile.split(' ').at(-1)).sort(), [
    'failed',
    'passed',
  ]);
  assert.deepEqual(await projectsOf(integration), ['Failure', 'Success']);
});

for (const [what, file, ...names] of [
  ['repository', 'renamed-repository', 'acme/old-name', 'acme/new-name'],
  ['workflow', 'renamed-workflow', 'CI', 'Build and test'],
] as const)
  test(`a ${what} that is renamed while red keeps its incident, and the fix closes it`, async () => {
    const integration = await watched(`${file}@example.com`);
    await replay(integration, file);
    await waitUntil(
      'the incident to close',
      async () => (await incidentsOf(integration, 'closed')).length === 1,
    );
    assert.deepEqual(await incidentsOf(integration, 'open'), []);
    assert.deepEqual(
      (await wallOf(integration)).map((tile) => tile.split(' ').at(-1)),
      ['passed'],
    );
    assert.deepEqual(await projectsOf(integration), ['Success']);
    const entries = await items<{ title: string }>(integration, 'event-log?type=repository');
    assert.equal(entries.length, 1, 'the event log tells of the new name');
    assert.match(entries[0]?.title ?? '', /is now called/);
    for (const list of ['workflows', 'incidents', 'jobs']) {
      const [all = 0, ...byName] = await Promise.all(
        ['', ...names.map((name) => `?${what}=${encodeURIComponent(name)}`)].map(
          async (query) => (await items<object>(integration, list + query)).length,
        ),
      );
      assert.ok(all > 0, list);
      assert.deepEqual(byName, [all, all], `the ${list} of the old and of the new name`);
    }
    assert.deepEqual(await items<object>(integration, `workflows?${what}=unknown`), []);
  });

test('the runs of a merge queue belong to their pull request, and its end closes their incident', async () => {
  const integration = await watched('merge-queue@example.com');
  await addRule(integration, {
    name: 'All',
    channels: [{ type: 'email', to: ['all-branches@example.com'] }],
  });
  await addRule(integration, {
    name: 'Branches',
    branches: { include: ['**'], exclude: [] },
    channels: [{ type: 'email', to: ['named-branches@example.com'] }],
  });
  const at = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();
  const repository = { id: 7, full_name: 'acme/site', default_branch: 'main' };
  const run = (id: number, sha: string, conclusion: string, seconds: number) => ({
    action: 'completed',
    repository,
    workflow: { id: 1, name: 'CI', path: '.github/workflows/ci.yml' },
    workflow_run: {
      id,
      run_attempt: 1,
      workflow_id: 1,
      event: 'merge_group',
      status: 'completed',
      conclusion,
      head_branch: `gh-readonly-queue/main/pr-12-${sha}`,
      head_sha: sha,
      head_repository: repository,
      pull_requests: [],
      created_at: at(seconds - 60),
      run_started_at: at(seconds - 60),
      updated_at: at(seconds),
    },
  });
  const send = (event: string, payload: object) =>
    postWebhook(program.baseUrl, integration, { event, payload });
  await send('workflow_run', run(1, 'a'.repeat(40), 'failure', -300));
  const [open] = await waitUntil('the incident', async () => {
    const found = await incidentsOf(integration, 'open');
    return found.length === 1 && found;
  });
  assert.equal(open?.branch, 'merge queue of #12 into main');
  await waitUntil('the mail', () => mailsTo('all-branches@example.com').length === 1);
  assert.match(mailsTo('all-branches@example.com')[0]!.source, /merge queue of #12/);
  const { items: runs } = (await (await call(integration, 'GET', 'workflows?pullRequest=12')).json()) as {
    items: { runId: number }[];
  };
  assert.deepEqual(
    runs.map(({ runId }) => runId),
    [1],
  );
  const pull = {
    number: 12,
    state: 'closed',
    merged: false,
    updated_at: at(-10),
    closed_at: at(-10),
    title: 'One',
  };
  const head = { ref: 'feature', sha: 'b'.repeat(40), repo: repository };
  await send('pull_request', {
    action: 'closed',
    number: 12,
    repository,
    pull_request: { ...pull, head, base: { ref: 'main' } },
  });
  await waitUntil(
    'the incident to close',
    async () => (await incidentsOf(integration, 'closed')).length === 1,
  );
  assert.deepEqual(mailsTo('merge-queue@example.com'), []);
  assert.deepEqual(mailsTo('named-branches@example.com'), []);
});

test('equal ids of two forges in one integration never meet', async () => {
  const integration = await program.createIntegration();
  const at = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();
  const send = async (host: string, conclusion: string): Promise<void> => {
    const html_url = `https://${host}/acme/site`;
    const repository = { id: 7, full_name: 'acme/site', default_branch: 'main', html_url };
    const ended = {
      status: 'completed',
      conclusion,
      head_branch: 'main',
      created_at: at(-90),
      run_attempt: 1,
    };
    const workflow_run = { ...ended, id: 5, workflow_id: 'ci.yml', path: 'ci.yml', updated_at: at(-10) };
    const workflow_job = { ...ended, id: 6, run_id: 5, name: `test at ${host}`, completed_at: at(-20) };
    const workflow = { id: 'ci.yml', name: 'CI', path: '.gitea/workflows/ci.yml' };
    const pull_request = { number: 3, state: 'open', title: `At ${host}`, head: { ref: 'topic' } };
    for (const [event, body] of [
      ['workflow_job', { workflow_job }],
      ['workflow_run', { workflow, workflow_run }],
      ['pull_request', { number: 3, pull_request }],
    ] as const)
      await postWebhook(program.baseUrl, integration, {
        event,
        payload: { action: 'completed', repository, ...body },
      });
  };
  await send('git.one.example', 'failure');
  await send('git.two.example', 'success');
  const runs = await waitUntil('both runs', async () => {
    const found = await items<{ runId: number; repository: string; conclusion: string }>(
      integration,
      'workflows',
    );
    return found.length === 2 && found;
  });
  assert.deepEqual(runs.map(({ conclusion }) => conclusion).toSorted(), ['failure', 'success']);
  assert.equal(new Set(runs.map(({ repository }) => repository)).size, 2);
  for (const { runId, conclusion } of runs) {
    const host = conclusion === 'failure' ? 'git.one.example' : 'git.two.example';
    const { jobs } = await waitUntil('the job', async () => {
      const found = (await (
        await call(integration, 'GET', `workflows/${runId}`)
      ).json()) as WorkflowRunDetail;
      return found.jobs.length > 0 && found;
    });
    assert.deepEqual(
      jobs.map(({ name, runId: ofRun }) => [name, ofRun]),
      [[`test at ${host}`, runId]],
    );
  }
  const pulls = await waitUntil('both pull requests', async () => {
    const found = await items<{ title: string }>(integration, 'pull-requests');
    return found.length === 2 && found;
  });
  assert.deepEqual(pulls.map(({ title }) => title).toSorted(), ['At git.one.example', 'At git.two.example']);
  // A later event of the second forge changes its own run.
  await send('git.two.example', 'failure');
  assert.equal((await items<object>(integration, 'workflows')).length, 2);
});

test('a job that never ran has no start and did not wait', async () => {
  const integration = await program.createIntegration();
  await replay(integration, 'job-that-never-ran');
  const { items: jobs } = (await (await call(integration, 'GET', 'jobs')).json()) as {
    items: { startedAt: string | null; queueMs: number | null }[];
  };
  assert.deepEqual(
    jobs.map(({ startedAt, queueMs }) => [startedAt, queueMs]),
    [[null, null]],
  );
});

test('jobs whose completion never arrived end with their run', async () => {
  const integration = await program.createIntegration();
  await addRule(integration, { watch: 'queued_too_long', queueMinutes: 1 });
  await replay(integration, 'job-without-completion');
  const { items: runs } = (await (await call(integration, 'GET', 'workflows')).json()) as {
    items: { runId: number }[];
  };
  const detail = (await (
    await call(integration, 'GET', `workflows/${runs[0]?.runId}`)
  ).json()) as WorkflowRunDetail;
  assert.deepEqual(
    detail.jobs.map(({ status, conclusion, completedAt }) => [
      status,
      conclusion,
      completedAt === detail.run.completedAt,
    ]),
    [
      ['completed', 'cancelled', true],
      ['completed', 'cancelled', true],
    ],
  );
});

test('a job of a later attempt that arrives before its run belongs to that attempt', async () => {
  const integration = await program.createIntegration();
  await replay(integration, 'gitea-attempts');
  const { items: runs } = (await (await call(integration, 'GET', 'workflows')).json()) as {
    items: { runId: number }[];
  };
  const detail = (await (
    await call(integration, 'GET', `workflows/${runs[0]?.runId}`)
  ).json()) as WorkflowRunDetail;
  const attempts = Map.groupBy(detail.jobs, ({ attempt }) => attempt);
  assert.deepEqual(
    [...attempts].map(([attempt, jobs]) => [attempt, jobs.length]),
    [
      [1, 1],
      [2, 1],
    ],
  );
});

test('a failure of long ago is neither on the wall nor an incident', async () => {
  const integration = await watched('long-ago@example.com');
  await replay(integration, 'workflow-that-no-longer-exists');
  assert.deepEqual(await wallOf(integration), []);
  assert.deepEqual(await projectsOf(integration), []);
  // A later failure shows that rules were evaluated.
  await replay(integration, 'two-workflows-of-one-name');
  await waitUntil('the mail', () => mailsTo('long-ago@example.com').length === 1);
  assert.deepEqual(
    (await incidentsOf(integration, 'open')).map(({ workflow }) => workflow),
    ['Build'],
  );
});
