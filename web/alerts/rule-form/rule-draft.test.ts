import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyOf, draftOf, emptyDraft, notifyDraft } from './rule-draft.ts';

test('a rule saved without changes stays the same and keeps its secret URL', () => {
  const body = bodyOf({
    name: ' Main ',
    enabled: false,
    watch: 'queued_too_long',
    everyHours: '26',
    queueMinutes: '30',
    labels: 'gpu, self-hosted',
    slowerSubject: 'job',
    slowerPercent: '80',
    slowerRuns: '5',
    digestDay: 'friday',
    digestHour: '17',
    timeZone: 'Europe/Berlin',
    events: ['job'],
    conclusions: ['cancelled'],
    failureGroups: 'unmarked',
    repositories: 'acme/*',
    workflows: 'CI',
    jobs: 'test (*)',
    branches: 'main, !wip/*',
    defaultBranchOnly: true,
    actors: '!bob',
    ignoreQuarantined: true,
    ignoreBots: true,
    firstAttemptOnly: true,
    notifyOnRecovery: false,
    notify: 'every_failure',
    cooldownMinutes: '5',
    channels: [],
  });
  assert.equal(body.name, 'Main');
  const stored = {
    ...body,
    ruleId: 'r',
    createdAt: '',
    updatedAt: '',
    lastSentAt: null,
    firedIn30Days: 0,
    failing: null,
    channels: [
      {
        channelId: 'a',
        type: 'email',
        to: ['x@example.com', 'y@example.com'],
        host: null,
        signingSecret: null,
      },
      { channelId: 'b', type: 'slack', to: null, host: 'hooks.slack.com', signingSecret: null },
    ],
  } as const;
  const again = bodyOf(draftOf({ ...stored, channels: [...stored.channels] } as never));
  assert.deepEqual(again, {
    ...body,
    channels: [
      { channelId: 'a', type: 'email', to: ['x@example.com', 'y@example.com'] },
      { channelId: 'b', type: 'slack' },
    ],
  });
});

test('a rule about an incident has its names as patterns and mails the person, and without an address they choose a channel', () => {
  const about = { repository: 'acme/site', workflow: 'Build, "fast"', branch: 'release/1' };
  const body = bodyOf({ ...notifyDraft(about, 'ann@example.com'), name: 'Mine' });
  assert.deepEqual(body.repositories, { include: ['acme/site'], exclude: [] });
  assert.deepEqual(body.workflows, { include: ['Build, "fast"'], exclude: [] });
  assert.deepEqual(body.branches, { include: ['release/1'], exclude: [] });
  assert.equal(body.defaultBranchOnly, false);
  assert.deepEqual(body.channels, [{ type: 'email', to: ['ann@example.com'] }]);
  const onDefault = notifyDraft({ repository: 'acme/site' }, null);
  assert.deepEqual([onDefault.watch, onDefault.defaultBranchOnly], ['failure', true]);
  const ofTests = notifyDraft({ repository: 'acme/site', watch: 'test_broken' }, null);
  const unknown = notifyDraft({ repository: 'acme/site', watch: 'everything' }, null);
  assert.deepEqual([ofTests.watch, unknown.watch], ['test_broken', 'failure']);
  assert.equal(onDefault.channels[0]?.type, emptyDraft().channels[0]?.type);
  assert.equal(notifyDraft({}, 'ann@example.com').channels[0]?.type, emptyDraft().channels[0]?.type);
});
