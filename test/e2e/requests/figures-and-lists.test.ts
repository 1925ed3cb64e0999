import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinValues } from '#contract/base/value-list.ts';
import type { Metrics } from '#contract/metrics/metrics.ts';
import { longestRunDays, type Overview } from '#contract/metrics/overview.ts';
import { redConclusions } from '#contract/runs/conclusions.ts';
import { jobPayload, runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTeamProduct } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const product = await startTeamProduct({ API_REQUESTS_PER_MINUTE: '1000000' }, ['api', 'worker']);
const minute = 60_000;
const day = 24 * 60 * minute;
const now = Date.now();
const ago = (ms: number): string => new Date(now - ms).toISOString();

const open = (id: number, status: string, age: number) => [
  runPayload({ id, status, created_at: ago(age), run_started_at: ago(age), updated_at: ago(age) }),
];
/** A run that ended, of one job. */
const ended = (id: number, conclusion: string, label: string, { attempt = 1, age = 60 * minute } = {}) => {
  const times = { created_at: ago(age), updated_at: ago(age - 2 * minute), run_started_at: ago(age) };
  const both = { run_attempt: attempt, status: 'completed', conclusion };
  return [
    runPayload({ id, ...both, ...times }),
    jobPayload({
      ...both,
      id: 1000 * id + attempt,
      run_id: id,
      name: 'build',
      labels: [label],
      created_at: ago(age),
      started_at: ago(age - minute),
      completed_at: ago(age - 2 * minute),
    }),
  ];
};

test('a figure counts exactly the runs and jobs of the list that it links to', async () => {
  const team = await product.newTeam();
  const read = async (path: string) => {
    const { status, body } = await team.viewer.call('GET', team.path(path));
    assert.equal(status, 200, `${path} ${JSON.stringify(body)}`);
    return body;
  };
  const payloads = [
    ...open(1, 'in_progress', 5 * minute),
    ...open(2, 'in_progress', 30 * day),
    // Their completion was lost.
    ...open(3, 'in_progress', (longestRunDays + 5) * day),
    ...open(4, 'queued', (longestRunDays + 5) * day),
    ...open(5, 'queued', 5 * minute),
    ...open(6, 'waiting', 5 * minute),
    ...open(7, 'requested', 5 * minute),
    ...open(8, 'pending', 5 * minute),
    ...ended(20, 'success', 'linux'),
    ...ended(21, 'failure', 'linux'),
    ...ended(22, 'timed_out', 'linux'),
    ...ended(23, 'cancelled', 'linux'),
    ...ended(24, 'startup_failure', 'linux'),
    ...ended(25, 'action_required', 'linux'),
    ...ended(30, 'failure', 'linux', { age: 90 * minute }),
    ...ended(30, 'success', 'linux', { attempt: 2 }),
    ...ended(31, 'failure', 'macos', { age: 90 * minute }),
    ...ended(31, 'success', 'macos', { attempt: 2 }),
    ...ended(32, 'failure', 'macos', { age: 90 * minute }),
    ...ended(32, 'failure', 'macos', { attempt: 2 }),
    ...ended(33, 'success', 'linux', { age: 8 * day }),
  ];
  for (const payload of payloads) {
    const event = 'workflow_job' in payload ? 'workflow_job' : 'workflow_run';
    assert.equal((await postWebhook(product.baseUrl, team, { event, payload })).status, 200);
  }
  await waitUntil('all runs', async () => (await read('/workflows?limit=100')).items.length === 18);
  const jobsOfLinux = '/jobs?limit=100&runner=linux&completedFrom=' + ago(10 * day);
  await waitUntil('all jobs', async () => (await read(jobsOfLinux)).items.length === 9);

  const count = async (list: string, filter: Record<string, string | undefined>): Promise<number> => {
    const query = new URLSearchParams({ limit: '100' });
    for (const [name, value] of Object.entries(filter)) if (value !== undefined) query.set(name, value);
    return (await read(`/${list}?${query.toString()}`)).items.length;
  };
  const overview = (await read('/overview?range=7d')) as unknown as Overview;
  const since = { from: new Date(Date.parse(overview.to) - longestRunDays * day).toISOString() };
  const waiting = joinValues(['queued', 'requested', 'waiting', 'pending']);
  assert.deepEqual(overview.runningNow, { running: 2, waiting: 4 });
  assert.deepEqual(overview.runningNow, {
    running: await count('workflows', { status: 'in_progress', ...since }),
    waiting: await count('workflows', { status: waiting, ...since }),
  });
  const period = { completedFrom: overview.from, completedTo: overview.to };
  assert.equal(overview.runs.value, await count('workflows', period));

  const conclusion = joinValues(redConclusions);
  for (const runner of [undefined, 'linux', 'macos']) {
    const span = `from=${overview.from}&to=${overview.to}`;
    const of = runner === undefined ? '' : `&runner=${runner}`;
    const metrics = (await read(`/metrics?${span}${of}`)) as unknown as Metrics;
    const within = { completedFrom: metrics.from, completedTo: metrics.to };
    const list = runner === undefined ? 'workflows' : 'jobs';
    assert.equal(metrics.total.runs, await count(list, { ...within, runner }), `runs of ${runner}`);
    assert.equal(metrics.total.failed, await count(list, { ...within, runner, conclusion }));
    assert.equal(metrics.total.reruns, await count(list, { ...within, runner, attempt: 'later' }));
    const flips = metrics.flakyJobs.reduce((sum, job) => sum + job.flips, 0);
    assert.equal(flips, { linux: 1, macos: 1 }[runner ?? ''] ?? 2);
    assert.equal(flips, await count('jobs', { ...within, runner, attempt: 'flip' }));
    for (const job of metrics.failures.jobs)
      assert.equal(
        job.failed,
        await count('jobs', { ...within, runner, conclusion, job: job.job ?? undefined }),
      );
  }
});
