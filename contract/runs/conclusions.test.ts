import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  conclusions,
  decidedConclusions,
  failedConclusions,
  isDecided,
  isFailed,
  isNeverStarted,
  isRed,
  isRuleConclusion,
  isWithoutResult,
} from './conclusions.ts';

test('each conclusion has its sets', () => {
  const sets = { isFailed, isRed, isDecided, isRuleConclusion, isWithoutResult, isNeverStarted };
  const setsOf = (conclusion: string | null) =>
    Object.entries(sets).flatMap(([name, has]) => (has(conclusion) ? [name] : []));
  const expected = {
    success: ['isDecided'],
    failure: ['isFailed', 'isRed', 'isDecided', 'isRuleConclusion'],
    timed_out: ['isFailed', 'isRed', 'isDecided', 'isRuleConclusion'],
    startup_failure: ['isFailed', 'isRed', 'isDecided', 'isRuleConclusion', 'isNeverStarted'],
    action_required: ['isRed', 'isDecided', 'isRuleConclusion', 'isNeverStarted'],
    cancelled: ['isRuleConclusion', 'isWithoutResult'],
    skipped: ['isWithoutResult', 'isNeverStarted'],
    neutral: [],
    stale: ['isRuleConclusion'],
  };
  assert.deepEqual(Object.fromEntries(conclusions.map((each) => [each, setsOf(each)])), expected);
  for (const unknown of [null, '', 'toString', 'Failure']) assert.deepEqual(setsOf(unknown), []);
});

test('no other file lists conclusions that belong together', () => {
  const pairs = [failedConclusions, decidedConclusions].flatMap((set) =>
    set.slice(1).map((one, index) => `'${set[index]}'[,:]?\\s*(\\|\\|\\s*\\w+ === )?'${one}'`),
  );
  const list = new RegExp(pairs.join('|'));
  const files = globSync('{contract,server,web,platform}/**/*.{ts,tsx,sql}', {
    exclude: ['server/simulate/**', '**/*.test.ts', '**/conclusions.ts'],
  });
  assert.ok(files.length > 500);
  assert.deepEqual(
    files.filter((file) => list.test(readFileSync(file, 'utf8'))),
    [],
  );
});
