import assert from 'node:assert/strict';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { RunTests, TestReportReceipt } from '#contract/tests/tests.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { integrationToken } from '#test/support/identity/token-client.ts';
import { runCommand } from '#test/support/product/run-command.ts';
import { makeTemporaryDirectory } from '#test/support/product/temporary-directory.ts';
import { startTeamProduct } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const product = await startTeamProduct({}, ['api', 'worker']);
const team = await product.newTeam('Reports');
const { token } = await integrationToken(product, team, 'reports');
const directory = await makeTemporaryDirectory();
const vectors = path.join(import.meta.dirname, '../../test/vectors/test-reports');

const none = { GITHUB_ACTIONS: '', GITEA_ACTIONS: '', FORGEJO_ACTIONS: '' };
/** What a job of the run 7001 is told. */
const job = {
  ...none,
  XDG_CONFIG_HOME: directory,
  FORGEWATCH_URL: product.publicUrl,
  FORGEWATCH_TOKEN: token,
  FORGEWATCH_INTEGRATION: team.integrationId,
  GITHUB_RUN_ID: '7001',
  GITHUB_RUN_ATTEMPT: '1',
  GITHUB_JOB: 'unit',
};

async function fileWith(name: string, content: string | Uint8Array): Promise<string> {
  const file = path.join(directory, name);
  await writeFile(file, content);
  return file;
}

const testsOf = async (run: number): Promise<RunTests> =>
  (await team.viewer.call('GET', team.path(`/workflows/${run}/tests`))).body as unknown as RunTests;

await postWebhook(product.baseUrl, team, {
  event: 'workflow_run',
  payload: runPayload({ id: 7001, status: 'in_progress', conclusion: null }),
});
await waitUntil('the run to be stored', async () => (await testsOf(7001)).reports !== undefined);

test('report uploads files with what the job was told, and prints what was stored and what was wrong', async () => {
  const cut = await fileWith(
    'cut.xml',
    '<testsuite name="s"><testcase name="a"/><testcase name="b"><failure>no',
  );
  const packed = await fileWith('packed.xml.gz', gzipSync('<testsuite><testcase name="only"/></testsuite>'));
  const surefire = path.join(directory, 'surefire.xml');
  await copyFile(path.join(vectors, 'surefire.xml'), surefire);
  const { code, stdout, stderr } = await runCommand(['report', surefire, cut, packed], job);
  assert.deepEqual([code, stderr], [0, '']);
  const [first = '', second = '', third = '', fourth = ''] = stdout.trim().split('\n');
  assert.match(first, /surefire\.xml: 7 tests, 3 failed, 1 flaky, 1 skipped; stored$/);
  assert.match(second, /cut\.xml: 2 tests, 1 failed; stored$/);
  assert.match(third, /^ {2}The file ends early/);
  assert.match(fourth, /packed\.xml\.gz: 1 test; stored$/);
  const { reports } = await testsOf(7001);
  assert.deepEqual(
    reports.map(({ job: name }) => name),
    ['unit', 'unit', 'unit'],
  );
});

test('options replace what the job was told', async () => {
  const file = await fileWith('options.xml', '<testsuite><testcase name="leg"/></testsuite>');
  const { code, stdout } = await runCommand(
    ['report', '--job', 'unit (windows)', '--suite', 'e2e', '--run', '7001', '--json', file],
    { ...job, GITHUB_RUN_ID: '' },
  );
  assert.equal(code, 0);
  const receipt = JSON.parse(stdout) as TestReportReceipt & { file: string };
  assert.deepEqual([receipt.file, receipt.status, receipt.tests], [file, 'stored', 1]);
  const stored = (await testsOf(7001)).reports.find(({ reportId }) => reportId === receipt.reportId);
  assert.deepEqual([stored?.job, stored?.suite], ['unit (windows)', 'e2e']);
});

test('a job of Gitea or Forgejo without an attempt reports the first one', async () => {
  const file = await fileWith('early.xml', '<testsuite><testcase name="early"/></testsuite>');
  const { GITHUB_RUN_ID: _, GITHUB_RUN_ATTEMPT: __, ...others } = job;
  const own = { ...others, GITHUB_RUN_ID: '', GITHUB_RUN_ATTEMPT: '', FORGEJO_RUN_ID: '7002' };
  const { code, stdout } = await runCommand(['report', file], own);
  assert.deepEqual([code, /stored as soon as the run is known/.test(stdout)], [0, true]);
});

test('a report that fails does not fail the job, says what to do, and fails it with --strict', async () => {
  const good = await fileWith('good.xml', '<testsuite><testcase name="good"/></testsuite>');
  const bad = await fileWith('bad.xml', 'hello');
  await mkdir(path.join(directory, 'folder'), { recursive: true });
  const cases: [args: string[], env: NodeJS.ProcessEnv, says: RegExp][] = [
    [[path.join(directory, 'junit-*.xml')], {}, /no such file. Check that the tests ran/],
    [[path.join(directory, 'folder')], {}, /This is a directory/],
    [[], {}, /No file was passed/],
    [[good], { GITHUB_RUN_ID: '' }, /GITHUB_RUN_ID is not set.*--run ID/],
    [[good], { GITHUB_SERVER_URL: 'git' }, /forge.*must be the address of the forge/],
    [[good], { GITHUB_RUN_ID: 'x' }, /--run takes a number/],
    [[good], { FORGEWATCH_TOKEN: '' }, /FORGEWATCH_TOKEN is empty\. .*role reports.*forks/],
    [
      [good],
      { FORGEWATCH_TOKEN: 'fw_x' },
      /The API token is not valid. Create an API token with the role reports/,
    ],
    [[good], { FORGEWATCH_INTEGRATION: '' }, /Set FORGEWATCH_INTEGRATION/],
    [[good], { FORGEWATCH_INTEGRATION: crypto.randomUUID() }, /not for this integration/],
    [[good], { FORGEWATCH_URL: 'http://127.0.0.1:9' }, /does not answer/],
    [[bad], {}, /bad\.xml: The report is neither XML nor JSON/],
  ];
  for (const [args, env, says] of cases) {
    const { code, stdout, stderr } = await runCommand(['report', ...args], { ...job, ...env });
    assert.deepEqual([code, stdout], [0, ''], stderr);
    assert.match(stderr, says);
  }
  const both = await runCommand(['report', '--strict', bad, good], job);
  assert.equal(both.code, 1);
  assert.match(both.stdout, /good\.xml: 1 test; stored/);
  assert.equal((await runCommand(['report', '--strict', good], job)).code, 0);
  assert.equal((await runCommand(['report', '--strict'], job)).code, 1);
});

test('GitHub shows a failed upload as a warning of the run', async () => {
  const bad = await fileWith('50%.xml', 'hello');
  const { stderr } = await runCommand(['report', bad], { ...job, GITHUB_ACTIONS: 'true' });
  assert.match(stderr, /^::warning title=Forgewatch::.*50%25\.xml: The report is neither/);
});

test('report asks a busy server again', async () => {
  const receipt = { reportId: crypto.randomUUID(), status: 'stored', format: 'junit', tests: 1, failed: 0 };
  const answers = [503, 429, 201];
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const status = answers.shift() ?? 500;
      response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' });
      response.end(JSON.stringify(status === 201 ? { ...receipt, skipped: 0, flaky: 0, faults: [] } : {}));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const file = await fileWith('busy.xml', '<testsuite><testcase name="busy"/></testsuite>');
  const { code, stdout, stderr } = await runCommand(['report', file], { ...job, FORGEWATCH_URL: url });
  server.close();
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /1 test; stored/);
});
