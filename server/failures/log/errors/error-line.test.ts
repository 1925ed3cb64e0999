import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { readFailureLog } from '../read-failure-log.ts';

interface StepCase {
  name: string;
  errorLine: string;
  log: string[];
}

const file = path.join(import.meta.dirname, '../../../../test/vectors/failure-logs/steps.json');
const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { cases: StepCase[] };

/** The log of a job at GitHub whose script prints the lines. */
const atGitHub = (lines: readonly string[]): string[] =>
  [
    '##[group]Run ./ci.sh',
    '\u001b[36;1m./ci.sh || echo "Error: ci failed"\u001b[0m',
    'shell: /usr/bin/bash -e {0}',
    '##[endgroup]',
    ...lines,
    '##[error]Process completed with exit code 1.',
    'Post job cleanup.',
    '[command]/usr/bin/git version',
    'Cleaning up orphan processes',
  ].map((line) => `2026-11-20T10:00:01.1234567Z ${line}`);

/** The same at Gitea and Forgejo. */
const atGitea = (lines: readonly string[]): string[] =>
  [
    '⭐ Run Main ./ci.sh',
    ...lines,
    '  ❌  Failure - Main ./ci.sh',
    "exitcode '1': failure",
    '⭐ Run Post checkout',
    'Job failed',
  ].map((line) => `2026-11-20T11:00:01.1234567+01:00 ${line}`);

async function* chunks(lines: readonly string[]): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${lines.join('\n')}\n`);
}

for (const [forge, format] of Object.entries({ GitHub: atGitHub, Gitea: atGitea }))
  for (const { name, errorLine, log } of cases)
    test(`the error line at ${forge} names the cause: ${name}`, async () => {
      const reason = await readFailureLog(chunks(format(log)), { steps: [], annotations: [] });
      assert.equal(reason.errorLine, errorLine);
      assert.ok(
        reason.excerpts.some(({ lines }) => lines.some(({ isError }) => isError)) ||
          name === 'a program without a message',
      );
    });

test('workflow commands of Gitea give their message and title', async () => {
  const log = atGitea(['::error file=src/a.ts,line=3,title=src/a.ts > adds%2C fast::expected 3 to be 4']);
  const { errorLine } = await readFailureLog(chunks(log), { steps: [], annotations: [] });
  assert.equal(errorLine, 'src/a.ts > adds, fast: expected 3 to be 4');
});

const annotation = (message: string, title: string | null = null) => ({
  level: 'failure' as const,
  path: '.github',
  title,
  message,
});

test('an annotation of level failure comes before the lines of the log', async () => {
  const log = atGitHub(['Error: something else']);
  const annotations = [
    { ...annotation('Node 20 is deprecated'), level: 'warning' as const },
    annotation('Process completed with exit code 1.'),
    annotation('AssertionError: expected 3 to be 4\n\n ❯ src/a.test.ts:3:5', 'src/a.test.ts > adds'),
  ];
  const { errorLine } = await readFailureLog(chunks(log), { steps: [], annotations });
  assert.equal(errorLine, 'src/a.test.ts > adds: AssertionError: expected 3 to be 4');
});

test('an annotation that only reports a failed command comes after the lines of the log', async () => {
  const log = atGitHub(['src/index.ts(1,7): error TS2322: no']);
  const annotations = [
    annotation(
      'buildx failed with: ERROR: failed to solve: process "/bin/sh -c npm ci" did not complete successfully: exit code: 1',
    ),
  ];
  const { errorLine } = await readFailureLog(chunks(log), { steps: [], annotations });
  assert.equal(errorLine, 'src/index.ts(1,7): error TS2322: no');
});

const faults = {
  runner_lost:
    'The self-hosted runner: linux-7 lost communication with the server. Verify the machine is running.',
  timeout:
    'The job running on runner GitHub Actions 2 has exceeded the maximum execution time of 360 minutes.',
  disk_full: 'System.IO.IOException: No space left on device : /opt/runner/_diag/pages/1.log',
};

for (const [fault, message] of Object.entries(faults))
  test(`the machine is at fault: ${fault}`, async () => {
    const annotated = await readFailureLog(chunks([]), { steps: [], annotations: [annotation(message)] });
    assert.equal(annotated.infrastructure, fault);
    const logged = await readFailureLog(chunks(atGitHub([`##[error]${message}`])), {
      steps: [],
      annotations: [],
    });
    assert.equal(logged.infrastructure, fault);
  });

test('too many watched files are not a full disk', async () => {
  const log = atGitHub([`Error: ENOSPC: System limit for number of file watchers reached, watch '/home'`]);
  const { infrastructure } = await readFailureLog(chunks(log), { steps: [], annotations: [] });
  assert.equal(infrastructure, null);
});

test('the message of a workflow command is decoded, and its first line is the error line', async () => {
  const command =
    '::error file=cart.spec.ts,title=cart.spec.ts:2:1 › title,line=2::  1) cart.spec.ts:2:1 › title ─────%0A%0A    Error: 100%25%0D%0A    Received: "Shop"';
  const { errorLine, subject } = await readFailureLog(chunks(atGitea([command])), {
    steps: [],
    annotations: [],
  });
  assert.equal(errorLine, '1) cart.spec.ts:2:1 › title');
  assert.equal(subject, 'cart.spec.ts:2:1 › title');
});

test('a log whose times are outside those of the failed step is searched as a whole, and markers are no error lines', async () => {
  const at = (time: string, lines: string[]) => lines.map((line) => `${time} ${line}`);
  const step = { number: 2, name: 'Run ./ci.sh', conclusion: 'failure' };
  const times = { startedAt: '2026-11-20T10:10:00Z', completedAt: '2026-11-20T10:10:05Z' };
  for (const error of ['src/a.ts(1,7): error TS2322: no', 'it broke']) {
    const log = [
      ...at('2026-11-20T10:00:00.0000000Z', ['##[group]Run ./ci.sh', './ci.sh', '##[endgroup]', error]),
      ...at('2026-11-20T10:00:01.0000000Z', ['##[error]Process completed with exit code 1.']),
      ...at('2026-11-20T10:10:00.0000000Z', ['##[group]Run Set up job', '##[endgroup]']),
    ];
    const { errorLine } = await readFailureLog(chunks(log), {
      steps: [{ ...step, ...times }],
      annotations: [],
    });
    assert.equal(errorLine, error);
  }
});

for (const [fault, message] of [
  ['runner_lost', 'Received request to deprovision: The request was cancelled by the remote provider.'],
  ['no_runner', 'The job was not acquired by Runner of type self-hosted even after multiple attempts'],
  ['action_download', 'Failed to resolve action download info. Error: Name or service not known'],
  [
    'payment',
    'The job was not started because recent account payments have failed or your spending limit needs to be increased.',
  ],
] as const)
  test(`an annotation without a log names the fault: ${fault}`, async () => {
    const told = await readFailureLog(chunks([]), { steps: [], annotations: [annotation(message)] });
    assert.deepEqual([told.errorLine, told.subject, told.infrastructure], [message, message, fault]);
  });
