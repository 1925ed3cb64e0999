import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { TestPage } from '#contract/tests/tests.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { integrationToken } from '#test/support/identity/token-client.ts';
import { runCommand } from '#test/support/product/run-command.ts';
import { makeTemporaryDirectory } from '#test/support/product/temporary-directory.ts';
import { startTeamProduct } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const product = await startTeamProduct({}, ['api', 'worker']);
const team = await product.newTeam('Gate');
const { token } = await integrationToken(product, team, 'reports');
const directory = await makeTemporaryDirectory();

const job = {
  XDG_CONFIG_HOME: directory,
  FORGEWATCH_URL: product.publicUrl,
  FORGEWATCH_TOKEN: token,
  FORGEWATCH_INTEGRATION: team.integrationId,
  GITHUB_RUN_ID: '8001',
  GITHUB_REPOSITORY: 'acme/site',
};
const nowhere = { ...job, FORGEWATCH_URL: '', FORGEWATCH_TOKEN: '', FORGEWATCH_INTEGRATION: '' };

async function report(name: string, content: string): Promise<string> {
  const file = path.join(directory, name);
  await writeFile(file, content);
  return file;
}

const failed = (name: string): string =>
  `<testcase classname="cart" name="${name}"><failure message="no ${name}"/></testcase>`;
const xml = (...cases: string[]): string => `<testsuite>${cases.join('')}</testsuite>`;

const at = new Date().toISOString();
await postWebhook(product.baseUrl, team, {
  event: 'workflow_run',
  payload: runPayload({
    id: 8001,
    status: 'in_progress',
    conclusion: null,
    created_at: at,
    run_started_at: at,
    updated_at: at,
  }),
});
const flaky = await report(
  'flaky.xml',
  xml('<testcase classname="cart" name="pays"><flakyFailure message="timeout"/></testcase>'),
);
const first = await runCommand(['report', '--strict', flaky], job);
assert.equal(first.code, 0, first.stderr);
const listed = async (): Promise<TestPage['items']> =>
  ((await team.viewer.call('GET', team.path('/tests?state=flaky'))).body as unknown as TestPage).items;
await waitUntil('the flaky test to be stored', async () => (await listed()).length === 1);
const [{ testId = '' } = {}] = await listed();
const { status } = await team.member.call('PUT', team.path(`/tests/${testId}/quarantine`), {
  reason: 'Waits for a clock',
});
assert.equal(status, 200);

test('gate passes if only tests in quarantine failed, and prints which', async () => {
  const file = await report('only.xml', xml(failed('pays'), '<testcase name="other"/>'));
  const { code, stdout, stderr } = await runCommand(['gate', file], job);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /^quarantined {2}cart › pays: Waits for a clock \(.*, until \d{4}-\d\d-\d\d\)\n/);
  assert.match(stdout, /\n2 tests, 0 failed, 1 failed in quarantine\n$/);
});

test('gate fails if another test failed, and prints which', async () => {
  const file = await report('another.xml', xml(failed('pays'), failed('counts')));
  const { code, stdout } = await runCommand(['gate', file], job);
  assert.equal(code, 1);
  assert.match(stdout, /failed {2}cart › counts: no counts\n/);
  const { code: jsonCode, stdout: json } = await runCommand(['gate', '--json', file], job);
  const verdict = JSON.parse(json) as { passed: boolean; failed: { name: string }[]; quarantined: object[] };
  assert.deepEqual(
    [jsonCode, verdict.passed, verdict.failed.map(({ name }) => name), verdict.quarantined.length],
    [1, false, ['counts'], 1],
  );
});

test('the quarantine of another repository or suite excuses nothing', async () => {
  const file = await report('foreign.xml', xml(failed('pays')));
  for (const [args, env] of [
    [['--repository', 'acme/other'], {}],
    [['--suite', 'e2e'], {}],
    [[], { GITHUB_REPOSITORY: 'acme/other' }],
  ] as const)
    assert.equal((await runCommand(['gate', ...args, file], { ...job, ...env })).code, 1);
});

test('gate needs no server while nothing failed, and lets no failure pass without it', async () => {
  const good = await report('good.xml', xml('<testcase name="a"/>'));
  assert.deepEqual(await runCommand(['gate', good], nowhere), {
    code: 0,
    stdout: '1 test, 0 failed\n',
    stderr: '',
  });
  const bad = await report('bad.xml', xml(failed('pays')));
  for (const env of [nowhere, { ...job, FORGEWATCH_TOKEN: '' }, { ...job, GITHUB_REPOSITORY: '' }]) {
    const { code, stdout, stderr } = await runCommand(['gate', bad], env);
    assert.equal(code, 1);
    assert.match(stdout, /failed {2}cart › pays/);
    assert.match(
      stderr,
      /every failure counts\. (?:You are not logged in|FORGEWATCH_TOKEN is empty|GITHUB_REPOSITORY)/,
    );
  }
});

test('a report that proves nothing does not pass', async () => {
  const cut = await report('cut.xml', '<testsuite><testcase name="a"/><testcase name="b">');
  const empty = await report('empty.xml', '<testsuite/>');
  const other = await report('other.txt', 'hello');
  const good = await report('fine.xml', xml('<testcase name="a"/>'));
  for (const file of [cut, empty, other, path.join(directory, 'missing-*.xml')])
    assert.equal((await runCommand(['gate', good, file], job)).code, 1, file);
  assert.equal((await runCommand(['gate'], job)).code, 2);
});
