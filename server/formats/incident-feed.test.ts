import assert from 'node:assert/strict';
import { test } from 'node:test';
import { incidentFeed } from './incident-feed.ts';
import type { FeedIncident } from './store.ts';

const incident = (facts: Partial<FeedIncident> = {}): FeedIncident =>
  ({
    incidentId: '0198e7a0-0000-7000-8000-000000000002',
    kind: 'failure',
    subject: null,
    evidence: null,
    repository: 'acme/site',
    workflow: 'CI',
    branch: 'main',
    openedAt: new Date('2026-11-20T10:00:00Z'),
    updatedAt: new Date('2026-11-20T10:00:00Z'),
    closedAt: null,
    closeReason: null,
    failedRuns: 2,
    failedJobs: 3,
    ...facts,
  }) as FeedIncident;

const feed = (...incidents: FeedIncident[]): string =>
  incidentFeed({
    integrationId: '0198e7a0-0000-7000-8000-000000000001',
    label: 'Platform & co',
    createdAt: new Date('2026-11-01T09:00:00Z'),
    incidents,
    selfUrl: 'https://ci.example.com/feed?token=a&b=c',
    pageUrl: 'https://ci.example.com/rules',
    publicUrl: 'https://ci.example.com',
  });
const textsOf = (xml: string, name: string): string[] =>
  Array.from(xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g')), ([, text = '']) => text);
const closed = { closedAt: new Date('2026-11-20T12:00:00Z'), updatedAt: new Date('2026-11-20T12:00:00Z') };

test('an open incident says since when what is broken', () => {
  const xml = feed(incident());
  assert.deepEqual(textsOf(xml, 'title'), [
    'Incidents of Platform &amp; co',
    'CI of acme/site on main is broken',
  ]);
  assert.deepEqual(textsOf(xml, 'summary'), [
    'CI of acme/site on main broke at 2026-11-20T10:00:00.000Z. Failed runs: 2, failed jobs: 3. It is still broken.',
  ]);
});

test('a closed incident is recovered only if it was', () => {
  const titleOf = (facts: Partial<FeedIncident>) =>
    textsOf(feed(incident({ ...closed, ...facts })), 'title')[1];
  assert.equal(titleOf({ closeReason: 'recovered' }), 'CI of acme/site on main recovered');
  assert.equal(titleOf({ closeReason: 'closed' }), 'CI of acme/site on main was closed');
  assert.equal(titleOf({ closeReason: 'pull_request_closed' }), 'CI of acme/site on main was closed');
  assert.equal(titleOf({ closeReason: 'quarantined' }), 'CI of acme/site on main was closed by a quarantine');
  assert.equal(
    titleOf({ closeReason: 'recovered', workflow: null, branch: null }),
    'A workflow of acme/site recovered',
  );
});

test('an incident about what did not happen shows its evidence', () => {
  const missing = incident({ kind: 'did_not_run', branch: null, evidence: 'Did not run for 26 h' });
  assert.equal(textsOf(feed(missing), 'title')[1], 'CI in acme/site: Did not run for 26 h');
  const queue = incident({
    kind: 'queued_too_long',
    subject: 'gpu',
    evidence: 'A job waits for 20 min',
    ...closed,
    closeReason: 'recovered',
  });
  assert.equal(textsOf(feed(queue), 'title')[1], 'Queue of gpu: A job waits for 20 min (recovered)');
});

test('the feed is as new as its newest incident, and an empty one as old as the integration', () => {
  const xml = feed(incident(), incident(closed));
  assert.equal(textsOf(xml, 'updated')[0], '2026-11-20T12:00:00.000Z');
  assert.equal(textsOf(feed(), 'updated')[0], '2026-11-01T09:00:00.000Z');
});

test('names cannot leave their element, and characters that XML forbids are gone', () => {
  const hostile = '</title><script>alert("1")</script>]]>&amp;\u0000\u0008\u001b\ufffe\ud800';
  const xml = feed(incident({ workflow: hostile, branch: hostile, repository: hostile }));
  assert.doesNotMatch(xml, /<script/);
  // oxlint-disable-next-line no-control-regex
  assert.doesNotMatch(xml, /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/);
  assert.ok(xml.isWellFormed());
  assert.equal(xml.match(/<[a-z]/g)?.length, feed(incident()).match(/<[a-z]/g)?.length);
});

test('addresses are attributes with their ampersands escaped', () => {
  assert.match(feed(), /href="https:\/\/ci\.example\.com\/feed\?token=a&amp;b=c"/);
});
