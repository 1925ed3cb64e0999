import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Incident } from '#contract/alerts/incidents.ts';
import { endOfJob, endOfRun, seconds, startAlertProgram } from '#test/support/alerts/alert-program.ts';
import { failedJob } from '#test/support/data/failed-job.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { program, items, addRule, post, mailsTo } = await startAlertProgram();

/** Without the line breaks of quoted-printable. */
const textsTo = (address: string): string[] =>
  mailsTo(address).map(({ source }) => source.replaceAll('=\r\n', ''));

test('a notification and its recovery name the failure that matched the rule', async () => {
  const integration = await program.createIntegration();
  await addRule(integration, { channels: [{ type: 'email', to: ['all@example.com'] }] });
  await addRule(integration, {
    jobs: { include: ['test (2)'], exclude: [] },
    channels: [{ type: 'email', to: ['two@example.com'] }],
    events: ['job'],
  });
  const begin = (id: number, login: string) => {
    const html_url = `https://forge.example/runs/${id}`;
    const begun = { status: 'in_progress', conclusion: null, actor: { login }, html_url };
    return post(integration, 'workflow_run', endOfRun(id, 'none', 5, begun));
  };
  await begin(700, 'ann');
  await begin(701, 'bob');
  await post(integration, 'workflow_job', endOfJob(700, 1, 'failure', 10));
  await waitUntil('the first mail', () => mailsTo('all@example.com').length === 1);
  await post(integration, 'workflow_job', endOfJob(701, 2, 'failure', 20));
  await waitUntil('the mail of the other rule', () => mailsTo('two@example.com').length === 1);
  await post(integration, 'workflow_job', endOfJob(701, 1, 'failure', 30));
  await waitUntil('the third failure', async () => {
    const [incident] = await items<Incident>(integration, 'incidents');
    return incident?.failedJobs === 3;
  });
  await post(integration, 'workflow_run', endOfRun(702, 'success', 40));
  await waitUntil('the end', () => mailsTo('two@example.com').length === 2);

  const [red, green] = textsTo('two@example.com');
  for (const source of [red, green]) {
    assert.match(source!, /Failure: job \S*test \(2\)/);
    assert.match(source!, /Started by: bob/);
    assert.match(source!, /runs\/701/);
    assert.doesNotMatch(source!, /test \(1\)|runs\/700/);
    assert.ok(source!.includes(`Red since: ${seconds(10)}`));
  }
  assert.match(red!, /Failures in all: 2 failed jobs/);
  assert.match(textsTo('all@example.com')[0]!, /Failure: job \S*test \(1\)/);
});

test('a notification contains the step, the error line and the assessment', async () => {
  const integration = await program.createIntegration();
  await addRule(integration, { events: ['job'], channels: [{ type: 'email', to: ['why@example.com'] }] });
  const { run, job } = failedJob({ id: 800, step: 'Run <b>tests</b>' });
  await post(integration, 'workflow_run', run);
  await post(integration, 'workflow_job', job);
  await waitUntil('the mail', () => mailsTo('why@example.com').length === 1);
  const [source] = textsTo('why@example.com');
  assert.match(source!, /Step: Run <b>tests<\/b>/);
  assert.match(source!, /Error: Step Run /);
  assert.match(source!, /Assessment: New on this branch/);
  assert.match(source!, /Run &lt;b&gt;tests&lt;/);
});
