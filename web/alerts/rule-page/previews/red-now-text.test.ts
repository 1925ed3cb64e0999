import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redNowText } from './red-now-text.ts';

const made = { isNew: true, isOn: true, hasChannels: true };
const edited = { ...made, isNew: false };
const quiet = { ...edited, hasChannels: false };
const off = { ...made, isOn: false };
const start = 'When you save the rule, it';

for (const [what, rule, redNow, text] of [
  ['new rule', made, 1, `${start} notifies about it.`],
  ['new rule', made, 2, `${start} notifies about each of them.`],
  ['saved rule', edited, 1, `${start} notifies about it, unless it did before.`],
  ['saved rule', edited, 2, `${start} notifies about each of them that it has not notified about before.`],
  ['rule without channels', quiet, 1, `${start} opens an incident unless there is one.`],
  ['rule without channels', quiet, 2, `${start} opens an incident for each of them that has none.`],
  ['rule that is off', off, 1, 'The rule is off and does nothing about it.'],
  ['rule that is off', off, 2, 'The rule is off and does nothing about them.'],
] as const)
  test(`the back-test of a ${what} says what happens to ${redNow} red`, () => {
    assert.equal(redNowText(redNow, rule), text);
  });
