import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EvaluatedRule, KnownEvaluation } from '#server/alerts/evaluation/read-evaluation.ts';
import { evaluatedStep } from './alerted-step.ts';

const rule = (facts: Partial<EvaluatedRule> = {}): EvaluatedRule => ({
  ruleId: 'r',
  name: 'Main',
  outcome: 'sent',
  reason: null,
  sent: 1,
  channels: 1,
  problems: [],
  ...facts,
});
const step = (facts: Partial<KnownEvaluation>) =>
  evaluatedStep({
    evaluatedAt: new Date('2026-11-20T12:00:00Z'),
    isFaulty: false,
    hasClosedIncident: false,
    countedAs: null,
    conclusion: 'failure',
    rules: [],
    ...facts,
  });

test('a delivery that waits, or that no rule is about, says so', () => {
  assert.deepEqual([evaluatedStep('waiting').outcome, evaluatedStep('none').outcome], ['waiting', 'skipped']);
  assert.match(evaluatedStep('none').detail ?? '', /No rule is enabled/);
});

test('rules that could not be evaluated are a failure, whatever they decided before', () => {
  const { outcome, detail, at } = step({ isFaulty: true, rules: [rule()] });
  assert.deepEqual([outcome, at], ['failed', '2026-11-20T12:00:00.000Z']);
  assert.match(detail ?? '', /see the log/);
});

test('the step waits for the slowest rule, and fails if one failed', () => {
  const outcomeOf = (...outcomes: EvaluatedRule['outcome'][]): string =>
    step({ rules: outcomes.map((outcome) => rule({ outcome })) }).outcome;
  assert.equal(outcomeOf(), 'skipped');
  assert.equal(outcomeOf('suppressed'), 'skipped');
  assert.equal(outcomeOf('suppressed', 'sent'), 'done');
  assert.equal(outcomeOf('sent', 'failed'), 'failed');
  assert.equal(outcomeOf('sent', 'failed', 'waiting'), 'waiting');
});

test('a failure counts the rules that match and those that are suppressed', () => {
  const detailOf = (...rules: EvaluatedRule[]): string => step({ rules }).detail ?? '';
  assert.equal(detailOf(), 'No enabled rule matches.');
  assert.equal(detailOf(rule()), '1 rule matches.');
  assert.equal(detailOf(rule(), rule()), '2 rules match.');
  assert.equal(
    detailOf(rule(), rule({ outcome: 'suppressed', reason: 'snoozed' })),
    '2 rules match, 1 suppressed.',
  );
});

test('a failure says which incident counts it, also where no rule matches', () => {
  assert.equal(step({ countedAs: 'opened' }).detail, 'It opened an incident. No enabled rule matches.');
  assert.equal(
    step({ countedAs: 'counted', rules: [rule()] }).detail,
    'The open incident counts it. 1 rule matches.',
  );
});

test('a success says whether it resolved an incident', () => {
  const detailOf = (hasClosedIncident: boolean, ...rules: EvaluatedRule[]): string =>
    step({ conclusion: 'success', hasClosedIncident, rules }).detail ?? '';
  assert.equal(detailOf(false), 'A success: no incident was open for it to resolve.');
  assert.equal(detailOf(true), 'It resolved an incident. No rule notifies about that.');
  assert.equal(detailOf(true, rule()), 'It resolved an incident. 1 rule to notify.');
  assert.equal(detailOf(true, rule(), rule()), 'It resolved an incident. 2 rules to notify.');
});

test('each rule says how many channels got the notification, and why others did not', () => {
  const detailOf = (facts: Partial<EvaluatedRule>) => step({ rules: [rule(facts)] }).rules?.[0]?.detail;
  assert.equal(detailOf({ sent: 1, channels: 1 }), 'Sent to 1 of 1 channel.');
  assert.equal(
    detailOf({ outcome: 'waiting', sent: 0, channels: 2 }),
    'The message waits: sent to 0 of 2 channels.',
  );
  assert.equal(
    detailOf({ outcome: 'failed', sent: 1, channels: 3, problems: ['No answer.', 'Refused.'] }),
    'Sent to 1 of 3 channels. No answer. Refused.',
  );
});

test('a rule that was suppressed says why', () => {
  const [found] =
    step({ rules: [rule({ outcome: 'suppressed', reason: 'snoozed', name: null })] }).rules ?? [];
  assert.deepEqual([found?.name, found?.outcome, found?.reason], [null, 'suppressed', 'snoozed']);
  assert.match(found?.detail ?? '', /snoozed the incident/);
});
