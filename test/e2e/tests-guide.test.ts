import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { matchesGlob } from '#contract/alerts/glob.ts';
import type { RunTests } from '#contract/tests/tests.ts';
import { parseReport } from '#server/test-results/parsing/parse-report.ts';
import { integrationToken } from '#test/support/identity/token-client.ts';
import { productProgram } from '#test/support/product/product-process.ts';
import { makeTemporaryDirectory } from '#test/support/product/temporary-directory.ts';
import { startTeamProduct } from '#test/support/team/team.ts';
import { reportSender } from '#test/support/team/test-reports.ts';

const run = promisify(execFile);
const root = path.join(import.meta.dirname, '../..');
const guide = await readFile(path.join(root, 'docs/guide/tests.md'), 'utf8');
const product = await startTeamProduct({}, ['api', 'worker']);
const team = await product.newTeam('Guide');
const { token } = await integrationToken(product, team, 'reports');

interface Step {
  run?: string;
  uses?: string;
  with?: Record<string, string>;
  env?: Record<string, string>;
}
type Workflow = { jobs: Record<string, { steps: Step[] }> };

const blocks = [...guide.matchAll(/```yaml\n([\s\S]*?)```/g)].map(
  ([, text = '']) => parse(text) as Step[] | Workflow,
);
const stepsOf = (block: Step[] | Workflow): Step[] =>
  Array.isArray(block) ? block : Object.values(block.jobs).flatMap(({ steps }) => steps);

/** As a job sees it: the client and a tool in the path, and two reports. */
const directory = await makeTemporaryDirectory();
await mkdir(path.join(directory, 'bin'));
await mkdir(path.join(directory, 'reports'));
await symlink(productProgram, path.join(directory, 'bin/forgewatch'));
await writeFile(path.join(directory, 'bin/npm'), '#!/bin/sh\n');
await chmod(path.join(directory, 'bin/npm'), 0o755);
for (const [file, name] of [
  ['junit.xml', 'curl'],
  ['reports/a.xml', 'client'],
] as const)
  await writeFile(path.join(directory, file), `<testsuite><testcase name="${name}"/></testsuite>`);

const { id } = await reportSender(product).startRun(team);

function filled(text: string): string {
  return text
    .replaceAll('https://forgewatch.example', product.publicUrl)
    .replaceAll('${{ secrets.FORGEWATCH_TOKEN }}', token)
    .replaceAll(/\bID\b/g, team.integrationId);
}

async function execute({ run: script = '', env = {} }: Step) {
  const own = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, filled(value)]));
  return run('bash', ['-e', '-c', filled(script)], {
    cwd: directory,
    env: {
      PATH: `${path.join(directory, 'bin')}:${path.dirname(process.execPath)}:${process.env['PATH']}`,
      HOME: directory,
      GITHUB_RUN_ID: String(id),
      GITHUB_RUN_ATTEMPT: '1',
      GITHUB_JOB: 'unit',
      GITHUB_REPOSITORY: 'acme/site',
      ...own,
    },
  });
}

test('the steps of the guide run in a job, and store its reports', async () => {
  const all = blocks.flatMap(stepsOf);
  const actions = all.filter(({ uses }) => uses !== undefined);
  assert.deepEqual(
    actions.map(({ uses, with: { name = '', path: files = '' } = {} }) => [
      uses,
      matchesGlob(name, '*junit*', 'character'),
      files,
    ]),
    [['actions/upload-artifact@v4', true, 'reports/']],
  );
  const steps = all.filter(({ uses }) => uses === undefined);
  assert.ok(steps.length >= 8);
  for (const step of steps) {
    const { stderr } = await execute(step);
    // Only this program has no forge that gives it a token.
    const isWithoutSecret =
      step.env?.['FORGEWATCH_URL'] !== undefined && step.env['FORGEWATCH_TOKEN'] === undefined;
    if (isWithoutSecret) assert.match(stderr, /id-token: write.*enable-openid-connect/);
    else assert.doesNotMatch(stderr, /Forgewatch|FORGEWATCH|error/i);
  }
  const { body } = await team.viewer.call('GET', team.path(`/workflows/${id}/tests`));
  const { reports } = body as unknown as RunTests;
  assert.deepEqual(
    reports.map(({ job, suite, tests }) => [job, suite, tests]),
    [
      ['unit', 'unit', 1],
      ['unit', 'unit', 1],
    ],
  );
});

test('the command for node:test of the guide writes a report that is read', async () => {
  const [, command = ''] = /\| node:test \| `([^`]+)` \| `junit\.xml` \|/.exec(guide) ?? [];
  const project = await makeTemporaryDirectory();
  await writeFile(
    path.join(project, 'a.test.mjs'),
    `import { test } from 'node:test'; test('adds', () => {});`,
  );
  await execute({ run: `cd ${project} && unset NODE_TEST_CONTEXT && ${command}` });
  const { cases } = parseReport(await readFile(path.join(project, 'junit.xml')));
  assert.deepEqual(
    cases.map(({ name, outcome }) => [name, outcome]),
    [['adds', 'passed']],
  );
});

test('the commands for the other tools are valid for a shell', async () => {
  const commands = [...guide.matchAll(/^\| [\w: ]+ \| `([^`]+)` \| `[^`]+` \|$/gm)].map(
    ([, each = '']) => each,
  );
  assert.ok(commands.length >= 10);
  for (const command of commands) await run('bash', ['-n', '-c', command]);
});
