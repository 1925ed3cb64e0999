import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fingerprint } from './fingerprint.ts';
import { readFailureLog } from './read-failure-log.ts';

interface Tool {
  tool: string;
  version: string | null;
  one: string[];
  other: string[];
  oneAgain?: string[];
}

const file = path.join(import.meta.dirname, '../../../test/vectors/failure-logs/tools.json');
const { tools } = JSON.parse(readFileSync(file, 'utf8')) as { tools: Tool[] };

/** What the log of a step with these lines tells, at a forge that annotates failed commands. */
async function read(lines: readonly string[]) {
  const log = [
    '##[group]Run npm test',
    'npm test',
    '##[endgroup]',
    ...lines,
    '##[error]Process completed with exit code 1.',
  ].map((line) => `2026-11-20T10:00:01.1234567Z ${line}`);
  const bytes = async function* () {
    yield Buffer.from(log.join('\n'));
  };
  const message = 'Process completed with exit code 1.';
  const annotations = [{ level: 'failure' as const, title: null, message, path: '.github' }];
  const { errorLine, subject } = await readFailureLog(bytes(), { steps: [], annotations });
  const identity = { workflow: 'CI', jobName: 'test', stepName: 'Run npm test', errorLine, subject };
  return { errorLine, subject, print: fingerprint(identity) };
}

for (const { tool, version, one, other, oneAgain } of tools)
  test(`two failures form two groups, and one of them again forms its own: ${tool} ${version ?? ''}`, async () => {
    const [first, second] = [await read(one), await read(other)];
    assert.ok(first.subject !== null && second.subject !== null, `${first.errorLine} | ${second.errorLine}`);
    assert.notEqual(first.print, second.print, first.errorLine ?? '');
    if (oneAgain === undefined) return;
    const again = await read(oneAgain);
    assert.equal(again.print, first.print, `${first.errorLine} | ${again.errorLine}`);
  });

test('the tools are at least 25, and most of them printed their lines for this purpose', () => {
  const printed = tools.filter(({ version }) => version !== null);
  assert.ok(printed.length >= 25 && printed.length * 2 > tools.length);
});
