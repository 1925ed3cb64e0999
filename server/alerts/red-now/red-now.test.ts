import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RuleBody, SavedRule } from '#contract/alerts/alerts.ts';
import type { BackTestAnswer } from '#contract/alerts/back-test.ts';
import type { Incident } from '#contract/alerts/incidents.ts';
import type { CreatedIntegration } from '#server/integrations/create-integration.ts';
import { endOfJob, endOfRun, startAlertProgram } from '#test/support/alerts/alert-program.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { untilEvaluated } from '#test/support/alerts/pending-evaluations.ts';

const { program, call, items, post, mailsTo } = await startAlertProgram();

const trunk = { repository: { id: 8, full_name: 'acme/tools', default_branch: 'trunk' } };
const mailTo = (address: string) => ({ channels: [{ type: 'email' as const, to: [address] }] });

/** The default branches of two repositories and one other branch are red, and nothing else. */
async function makeRed(): Promise<CreatedIntegration> {
  const integration = await program.createIntegration();
  const runs: object[] = [
    endOfRun(1, 'failure', 10),
    endOfRun(2, 'failure', 20),
    endOfRun(3, 'failure', 30, { head_branch: 'topic' }),
    { ...endOfRun(4, 'timed_out', 40, { head_branch: 'trunk' }), ...trunk },
    { ...endOfRun(5, 'failure', 50, { head_branch: 'main' }), ...trunk },
    { ...endOfRun(6, 'success', 60, { head_branch: 'main' }), ...trunk },
    endOfRun(7, 'failure', 70, { name: 'Deploy' }),
    endOfRun(8, 'success', 80, { name: 'Deploy' }),
  ];
  for (const run of runs) await post(integration, 'workflow_run', run);
  await post(integration, 'workflow_job', endOfJob(2, 21, 'failure', 19));
  await waitUntil('all runs', async () => (await items(integration, 'workflows')).length === runs.length);
  // A rule that is saved before that also notifies about each of them.
  await evaluated(integration);
  return integration;
}

async function save(
  integration: CreatedIntegration,
  fields: Partial<RuleBody>,
  ruleId?: string,
): Promise<SavedRule> {
  const path = ruleId === undefined ? 'notification-rules' : `notification-rules/${ruleId}`;
  const method = ruleId === undefined ? 'POST' : 'PUT';
  const answer = await call(integration, method, path, ruleBody(fields));
  assert.ok(answer.ok, await answer.clone().text());
  return (await answer.json()) as SavedRule;
}

const openBranches = async (integration: CreatedIntegration): Promise<string[]> =>
  (await items<Incident>(integration, 'incidents?status=open'))
    .map(({ repository, workflow, branch }) => `${repository} ${workflow} ${branch}`)
    .sort();

const evaluated = ({ integrationId }: CreatedIntegration) => untilEvaluated(program.database, integrationId);

test('a saved rule opens incidents for default branches that are red now, and notifies once about each', async () => {
  const integration = await makeRed();
  const fields = { defaultBranchOnly: true, ...mailTo('red@example.com') };
  const tested = await call(integration, 'POST', 'notification-rules/back-test', ruleBody(fields));
  const answer = (await tested.json()) as BackTestAnswer;
  const { redNow, samples } = answer;
  assert.equal(redNow, 2, JSON.stringify(answer));
  assert.deepEqual(new Set(samples.map(({ branch }) => branch)), new Set(['main', 'trunk']));

  const rule = await save(integration, fields);
  assert.equal(rule.notifiesNow, 2);
  await waitUntil('both mails', () => mailsTo('red@example.com').length === 2);
  assert.deepEqual(await openBranches(integration), ['acme/site CI main', 'acme/tools CI trunk']);

  const { channels } = rule;
  const kept = { ...fields, channels: [{ ...fields.channels[0]!, channelId: channels[0]!.channelId }] };
  assert.equal((await save(integration, kept, rule.ruleId)).notifiesNow, 0);
  const [one, two] = await Promise.all([
    save(integration, { ...mailTo('all@example.com'), name: 'All' }),
    save(integration, { ...kept, notify: 'every_failure' }, rule.ruleId),
  ]);
  assert.deepEqual([one.notifiesNow, two.notifiesNow], [3, 0]);
  await waitUntil('a mail about each red branch', () => mailsTo('all@example.com').length === 3);
  assert.equal((await openBranches(integration)).length, 3);

  await post(integration, 'workflow_run', endOfRun(9, 'success', 300));
  await waitUntil('the recovery', () => mailsTo('red@example.com').length === 3);
  assert.match(mailsTo('red@example.com')[2]!.source, /green again/);
  assert.equal(await waitUntil('the other recovery', () => mailsTo('all@example.com').length === 4), true);
  await post(integration, 'workflow_run', endOfRun(10, 'failure', 310, { head_branch: 'topic' }));
  await evaluated(integration);
  assert.equal(mailsTo('red@example.com').length, 3, 'a rule of the default branch ignores other ones');
});

test('a rule that is saved twice at once notifies once', async () => {
  const integration = await makeRed();
  const first = await save(integration, { enabled: false });
  assert.equal(first.notifiesNow, 0);
  const fields = {
    defaultBranchOnly: true,
    ...mailTo('twice@example.com'),
    notify: 'every_failure' as const,
  };
  await Promise.all([1, 2, 3].map(() => save(integration, fields, first.ruleId)));
  await evaluated(integration);
  await waitUntil('both mails', () => mailsTo('twice@example.com').length === 2);
  const sent = await items(integration, `notification-rules/${first.ruleId}/deliveries`);
  assert.equal(sent.length, 2);
});

test('an incident that a person closed stays closed when a rule is saved', async () => {
  const integration = await makeRed();
  const rule = await save(integration, { defaultBranchOnly: true, repositories: only('acme/site') });
  await evaluated(integration);
  const incident = await waitUntil(
    'the incident',
    async () => (await items<Incident>(integration, 'incidents?status=open&repository=acme/site'))[0],
  );
  const path = `incidents/${incident.incidentId}`;
  assert.equal(
    (await call(integration, 'PATCH', path, { version: incident.version, status: 'closed' })).status,
    200,
  );
  const again = { defaultBranchOnly: true, repositories: only('acme/*') };
  assert.equal((await save(integration, again, rule.ruleId)).notifiesNow, 1);
  await evaluated(integration);
  assert.deepEqual(await openBranches(integration), ['acme/tools CI trunk']);
});

test('a saved rule about what did not happen says how many incidents it opens', async () => {
  const integration = await program.createIntegration();
  const ago = new Date(Date.now() - 8 * 3_600_000).toISOString();
  const times = { created_at: ago, run_started_at: ago, updated_at: ago };
  await post(integration, 'workflow_run', endOfRun(1, 'success', 0, times));
  await post(
    integration,
    'workflow_run',
    endOfRun(2, 'success', 0, { ...times, name: 'B', head_branch: 'b' }),
  );
  await waitUntil('both runs', async () => (await items(integration, 'workflows')).length === 2);
  const fields = { watch: 'did_not_run', everyHours: 6, defaultBranchOnly: true } as const;
  const rule = await save(integration, fields);
  assert.equal(rule.notifiesNow, 1);
  await waitUntil('the incident', async () => (await openBranches(integration)).length === 1);
  assert.deepEqual(await openBranches(integration), ['acme/site CI main']);
});

function only(...include: string[]) {
  return { include, exclude: [] };
}
