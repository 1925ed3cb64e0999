import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyChannel, emptyDraft, type RuleDraft } from '../rule-form/rule-draft.ts';
import { advancedSummary } from './advanced-summary.ts';

const cases: [Partial<RuleDraft>, string][] = [
  [{}, 'Defaults'],
  [{ branches: 'main', repositories: 'acme/*', defaultBranchOnly: false }, 'Defaults'],
  [{ name: ' Main ' }, '“Main”'],
  [{ enabled: false, notify: 'every_failure' }, 'off · On every failure'],
  [{ workflows: 'CI, !Nightly', actors: '!renovate*' }, '2 workflow patterns · 1 person pattern'],
  [{ events: ['run'] }, 'Runs only'],
  [{ conclusions: ['cancelled'] }, 'Cancelled'],
  [{ conclusions: ['timed_out', 'failure', 'action_required', 'startup_failure'] }, 'Defaults'],
  [{ failureGroups: 'unmarked', ignoreBots: true }, 'All but known flaky and ignored ones · no bots'],
  [{ firstAttemptOnly: true, notifyOnRecovery: false }, 'no re-runs · no recovery'],
  [{ cooldownMinutes: '' }, 'cooldown 0 min'],
  [{ watch: 'did_not_run', ignoreBots: true, actors: 'x' }, 'A workflow that did not run'],
  [{ channels: [emptyChannel('slack'), emptyChannel('email')] }, '2 channels'],
];

for (const [changed, text] of cases)
  test(`a rule with ${JSON.stringify(changed)} is summed up as ${text}`, () => {
    assert.equal(advancedSummary({ ...emptyDraft(), ...changed }), text);
  });
