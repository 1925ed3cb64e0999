import { ruleConclusions } from '#contract/runs/conclusions.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  channelTypes,
  digestDays,
  groupChoices,
  notifyModes,
  RuleBody,
  ruleEvents,
  ruleWatches,
  slowerSubjects,
  type Channel,
  type GlobFilter,
} from '#contract/alerts/alerts.ts';
import { visibleText } from '#contract/base/plain-text.ts';
import { compileValidator } from '#platform/http/validation.ts';
import { bodyOf, draftOf, emptyChannel, emptyDraft, type RuleDraft } from './rule-draft.ts';

/** A person opens a rule and saves it: nothing that they did not touch may change, however it was created. */

const accept = compileValidator('body', RuleBody);

const line = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
  .map((text) => visibleText(text.replaceAll(/\p{C}/gu, '')))
  .filter((text) => text !== '' && text.length <= 100);
const hardLine = fc.oneof(
  line,
  fc.constantFrom('a, b', '"quoted"', '!not', '\\', 'a (b, c)', '( ,', ',', "'", '" , "'),
);
const glob = fc.oneof(
  hardLine,
  fc.constantFrom('*', '**', 'release/*', 'acme/**', ' leading', 'a"b', '!', '!!x'),
);
const filter: fc.Arbitrary<GlobFilter> = fc.record(
  {
    include: fc.array(glob, { maxLength: 3 }),
    exclude: fc.array(glob, { maxLength: 3 }),
  },
  { noNullPrototype: true },
);
const uniqueOf = <T>(values: readonly T[]) => fc.subarray([...values], { minLength: 1 });
const uuid = fc.uuid();
const address = fc
  .tuple(
    fc.stringMatching(/^[a-z][a-z0-9+_-]{0,8}(\.[a-z0-9]{1,4})?$/),
    fc.stringMatching(/^[a-z]{1,8}\.(com|org)$/),
  )
  .map(([name, host]) => `${name}@${host}`);

const channel: fc.Arbitrary<Channel> = fc.oneof(
  fc.record({
    channelId: uuid,
    type: fc.constant('email' as const),
    to: fc.uniqueArray(address, { minLength: 1, maxLength: 3 }),
    host: fc.constant(null),
    signingSecret: fc.constant(null),
  }),
  fc.record({
    channelId: uuid,
    type: fc.constantFrom(...channelTypes.filter((type) => type !== 'email')),
    to: fc.constant(null),
    host: fc.domain(),
    signingSecret: fc.constant(null),
  }),
);

const fields = {
  name: line,
  enabled: fc.boolean(),
  watch: fc.constantFrom(...ruleWatches),
  everyHours: fc.option(fc.integer({ min: 1, max: 720 })),
  queueMinutes: fc.integer({ min: 1, max: 1440 }),
  labels: fc.uniqueArray(hardLine, { maxLength: 4 }),
  slowerSubject: fc.constantFrom(...slowerSubjects),
  slowerPercent: fc.integer({ min: 10, max: 1000 }),
  slowerRuns: fc.integer({ min: 3, max: 50 }),
  digestDay: fc.constantFrom(...digestDays),
  digestHour: fc.integer({ min: 0, max: 23 }),
  timeZone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires'),
  events: uniqueOf(ruleEvents),
  conclusions: uniqueOf(ruleConclusions),
  failureGroups: fc.constantFrom(...groupChoices),
  repositories: filter,
  workflows: filter,
  jobs: filter,
  branches: filter,
  actors: filter,
  defaultBranchOnly: fc.boolean(),
  ignoreQuarantined: fc.boolean(),
  ignoreBots: fc.boolean(),
  firstAttemptOnly: fc.boolean(),
  notifyOnRecovery: fc.boolean(),
  notify: fc.constantFrom(...notifyModes),
  cooldownMinutes: fc.integer({ min: 0, max: 10_080 }),
};
const stored = fc.record({
  ...fields,
  ruleId: uuid,
  channels: fc.array(channel, { maxLength: 3 }),
  createdAt: fc.constant('2026-11-20T12:00:00.000Z'),
  updatedAt: fc.constant('2026-11-20T12:00:00.000Z'),
  lastSentAt: fc.constant(null),
  firedIn30Days: fc.nat(),
  failing: fc.constant(null),
});

test('a rule that is opened and saved stays the same', () => {
  fc.assert(
    fc.property(stored, (rule) => {
      const body = bodyOf(draftOf(rule));
      for (const name of Object.keys(fields) as (keyof typeof fields)[])
        assert.deepEqual(body[name], rule[name], name);
      assert.deepEqual(
        body.channels,
        rule.channels.map(({ channelId, type, to }) => ({ channelId, type, ...(to === null ? {} : { to }) })),
      );
    }),
  );
});

test('a saved rule is one that the server accepts', () => {
  fc.assert(
    fc.property(stored, (rule) => {
      assert.doesNotThrow(() => accept(bodyOf(draftOf(rule))));
    }),
  );
});

const refused = (draft: RuleDraft): string[] => {
  try {
    accept(JSON.parse(JSON.stringify(bodyOf(draft))));
    return [];
  } catch (error) {
    return (error as { errors: { field: string }[] }).errors.map(({ field }) => field);
  }
};
const complete: RuleDraft = {
  ...emptyDraft(),
  name: 'Main',
  channels: [{ ...emptyChannel('email'), to: 'ann@example.com' }],
};

test('a new rule has a name and lacks only a channel', () => {
  assert.deepEqual(refused(complete), []);
  assert.equal(bodyOf(emptyDraft()).name, 'Broken default branch');
  assert.deepEqual(refused({ ...emptyDraft(), channels: [] }), []);
  assert.deepEqual(
    new Set(refused({ ...emptyDraft(), channels: [emptyChannel('email')] })),
    new Set(['channels.0.to']),
  );
});

test('a rule without a name gets one that the server accepts, whatever its patterns', () => {
  fc.assert(
    fc.property(stored, (rule) => {
      assert.deepEqual(refused({ ...draftOf(rule), name: ' ' }), []);
    }),
  );
});

test('a copied channel names only the channel that it copies', () => {
  const copied = { ...emptyChannel('slack'), url: 'Slack, as in “Main”', copyOf: 'c' };
  assert.deepEqual(bodyOf({ ...complete, channels: [copied] }).channels, [{ type: 'slack', copyOf: 'c' }]);
});

test('a wrong number is refused at its own field', () => {
  const cases: [keyof RuleDraft, string[]][] = [
    ['everyHours', ['0', '721', '1.5', '-1']],
    ['queueMinutes', ['', '0', '1441', 'ten', '1.5', '-3']],
    ['slowerPercent', ['', '9', '1001', '12.5', 'NaN', '1e9']],
    ['slowerRuns', ['', '2', '51', '3.5', 'Infinity']],
    ['cooldownMinutes', ['-1', '10081', '0.5', 'x']],
  ];
  for (const [field, texts] of cases)
    for (const text of texts)
      assert.deepEqual(
        new Set(refused({ ...complete, [field]: text })),
        new Set([field]),
        `${String(field)}: ${text}`,
      );
});

test('numbers may have spaces around them, and an empty rhythm is that of the schedule', () => {
  const body = bodyOf({ ...complete, everyHours: ' ', queueMinutes: ' 20 ', cooldownMinutes: '' });
  assert.deepEqual([body.everyHours, body.queueMinutes, body.cooldownMinutes], [null, 20, 0]);
});

test('a wrong address is refused at its own place in the list', () => {
  const to = 'ann@example.com, bob, cleo@example.com';
  assert.deepEqual(
    new Set(refused({ ...complete, channels: [{ ...emptyChannel('email'), to }] })),
    new Set(['channels.0.to.1']),
  );
});

test('a channel sends only what belongs to its type, and a stored URL stays when none is typed', () => {
  const typed = { ...emptyChannel('slack'), to: 'ann@example.com', url: ' https://hooks.example.com/x ' };
  const channels = [
    typed,
    { ...typed, type: 'email' as const },
    { ...typed, channelId: 'c', url: '  ' },
    { ...typed, type: 'webhook' as const, channelId: 'w', url: '', renewSecret: true },
  ];
  assert.deepEqual(bodyOf({ ...complete, channels }).channels, [
    { type: 'slack', url: 'https://hooks.example.com/x' },
    { type: 'email', to: ['ann@example.com'] },
    { channelId: 'c', type: 'slack' },
    { channelId: 'w', type: 'webhook', renewSecret: true },
  ]);
});

test('two new channels have different keys', () => {
  assert.notEqual(emptyChannel('email').key, emptyChannel('email').key);
});

test('labels are separated by commas, and a label with a comma is quoted', () => {
  const labelsOf = (labels: string): string[] => bodyOf({ ...complete, labels }).labels;
  assert.deepEqual(labelsOf(' gpu ,self-hosted,, '), ['gpu', 'self-hosted']);
  assert.deepEqual(labelsOf('"big, slow", gpu'), ['big, slow', 'gpu']);
  assert.deepEqual(labelsOf('!gpu'), ['!gpu']);
});
