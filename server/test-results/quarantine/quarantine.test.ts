import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogEntryPage } from '#contract/deliveries/event-log.ts';
import {
  mostQuarantined,
  type QuarantineList,
  type RunTests,
  type TestPage,
  type TestSummary,
} from '#contract/tests/tests.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import { makeReceiveReport } from '#server/test-results/arrival/receive-report.ts';
import { unlimited } from '#test/support/product/unlimited.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { integrationToken } from '#test/support/identity/token-client.ts';
import { refused, startTeamProduct, type Team } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const product = await startTeamProduct({}, ['api', 'worker']);
const { database, sealer } = product;
const receive = makeReceiveReport({ db: database.api, sealer, ...unlimited });
let lastRun = 6000;

const passed = (name: string): string => `<testcase classname="cart" name="${name}"/>`;
const failed = (name: string): string => `<testcase classname="cart" name="${name}"><failure/></testcase>`;
const flaky = (name: string): string =>
  `<testcase classname="cart" name="${name}"><flakyFailure/></testcase>`;

/** Stores a report of a run on the default branch. Returns the run. */
async function reportCases(team: Team, ...cases: string[]): Promise<number> {
  const id = (lastRun += 1);
  const at = new Date().toISOString();
  const payload = runPayload({
    id,
    status: 'in_progress',
    conclusion: null,
    head_branch: 'main',
    created_at: at,
    run_started_at: at,
    updated_at: at,
  });
  await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload });
  await waitUntil(
    'the run to be stored',
    async () => (await team.viewer.call('GET', team.path(`/workflows/${id}`))).status === 200,
  );
  await receive(team.integrationId, { run: id }, Buffer.from(`<testsuite>${cases.join('')}</testsuite>`));
  return id;
}

const list = async (team: Team, query: string): Promise<TestSummary[]> =>
  ((await team.viewer.call('GET', team.path(`/tests${query}`))).body as unknown as TestPage).items;

async function idOf(team: Team, name: string): Promise<string> {
  const [found] = await list(team, `?q=${name}`);
  assert.ok(found, name);
  return found.testId;
}

const quarantine = async (team: Team, name: string, body: object = { reason: 'Race' }, by = team.member) =>
  by.call('PUT', team.path(`/tests/${await idOf(team, name)}/quarantine`), body);

const quarantined = async (team: Team, query = ''): Promise<QuarantineList['items']> =>
  ((await team.viewer.call('GET', team.path(`/quarantine.json${query}`))).body as unknown as QuarantineList)
    .items;

async function entries(team: Team): Promise<string[]> {
  const { body } = await team.viewer.call('GET', team.path('/event-log?type=test'));
  return (body as unknown as LogEntryPage).items.map(({ title }) => title);
}

test('a flaky test is in quarantine for 14 days, and every list says so', async () => {
  const team = await product.newTeam();
  const run = await reportCases(team, flaky('pays'), passed('adds'));
  const { status, body } = await quarantine(team, 'pays');
  assert.equal(status, 200);
  const { quarantine: own } = body as unknown as TestSummary;
  assert.deepEqual([own?.reason, own?.owner?.userId], ['Race', team.member.userId]);
  const days = (Date.parse(own?.until ?? '') - Date.now()) / dayMs;
  assert.ok(days > 13.9 && days <= 14, String(days));
  assert.deepEqual(
    (await quarantined(team)).map(({ className, name, repository }) => [repository, className, name]),
    [['acme/site', 'cart', 'pays']],
  );
  assert.deepEqual(await quarantined(team, '?repository=acme/other'), []);
  assert.deepEqual(await quarantined(team, '?suite=e2e'), []);
  assert.equal((await quarantined(team, '?repository=acme/site&suite=')).length, 1);
  assert.deepEqual(
    (await list(team, '?quarantined=true')).map(({ name }) => name),
    ['pays'],
  );
  assert.deepEqual(
    (await list(team, '?quarantined=false&q=cart')).map(({ name }) => name),
    ['adds'],
  );
  const ofRun = (await team.viewer.call('GET', team.path(`/workflows/${run}/tests`)))
    .body as unknown as RunTests;
  assert.deepEqual(
    ofRun.tests.map(({ name, isQuarantined }) => [name, isQuarantined]),
    [['pays', true]],
  );
  const [entry = ''] = await entries(team);
  assert.match(entry, /^The test cart › pays of acme\/site is in quarantine until \d{4}-\d\d-\d\d$/);
});

test('the list as text has a line of class and name for each test', async () => {
  const team = await product.newTeam();
  await reportCases(team, flaky('beta  c'), flaky('alpha'));
  for (const name of ['beta', 'alpha']) assert.equal((await quarantine(team, name)).status, 200);
  const jobs = await integrationToken(product, team, 'reports');
  const response = await fetch(`${product.publicUrl}${team.path('/quarantine.txt')}`, {
    headers: { authorization: `Bearer ${jobs.token}` },
  });
  assert.deepEqual(
    [response.status, response.headers.get('content-type'), await response.text()],
    [200, 'text/plain; charset=utf-8', 'cart\talpha\ncart\tbeta c\n'],
  );
  assert.equal((await jobs.call('GET', team.path('/quarantine.json'))).status, 200);
});

test('a broken test and a test that is not flaky are refused', async () => {
  const team = await product.newTeam();
  await reportCases(team, failed('breaks'), passed('adds'));
  refused(await quarantine(team, 'breaks'), 409, 'test_broken');
  refused(await quarantine(team, 'adds'), 409, 'test_not_flaky');
  const unknown = await team.member.call('PUT', team.path(`/tests/${crypto.randomUUID()}/quarantine`), {
    reason: 'Race',
  });
  refused(unknown, 404, 'not_found');
  assert.deepEqual(await quarantined(team), []);
  assert.deepEqual(await entries(team), []);
});

test('a quarantine has a reason, an owner who is a member, and an end within 90 days', async () => {
  const team = await product.newTeam();
  await reportCases(team, flaky('pays'));
  const inDays = (days: number): string => new Date(Date.now() + days * dayMs).toISOString();
  for (const body of [
    {},
    { reason: ' ' },
    { reason: 'Race', until: inDays(91) },
    { reason: 'Race', until: inDays(-1) },
    { reason: 'Race', ownerId: crypto.randomUUID() },
  ])
    refused(await quarantine(team, 'pays', body), 400, 'invalid_request');
  refused(await quarantine(team, 'pays', { reason: 'Race' }, team.viewer), 403, 'insufficient_role');
  assert.deepEqual(await quarantined(team), []);
  const changed = { reason: 'Clock', until: inDays(89), ownerId: team.admin.userId };
  assert.equal((await quarantine(team, 'pays')).status, 200);
  const [before] = await quarantined(team);
  assert.equal((await quarantine(team, 'pays', changed)).status, 200);
  const [after] = await quarantined(team);
  assert.deepEqual(
    [after?.quarantine.reason, after?.quarantine.owner?.userId, after?.quarantine.until],
    ['Clock', team.admin.userId, changed.until],
  );
  assert.equal(after?.quarantine.since, before?.quarantine.since);
});

test('a member ends a quarantine', async () => {
  const team = await product.newTeam();
  await reportCases(team, flaky('pays'));
  await quarantine(team, 'pays');
  const path = team.path(`/tests/${await idOf(team, 'pays')}/quarantine`);
  refused(await team.viewer.call('DELETE', path), 403, 'insufficient_role');
  assert.equal((await team.member.call('DELETE', path)).status, 204);
  refused(await team.member.call('DELETE', path), 404, 'not_found');
  assert.deepEqual(await quarantined(team), []);
  assert.match((await entries(team))[0] ?? '', /^The quarantine of the test cart › pays .* was ended$/);
});

test('a quarantine ends by itself, and the event log says so', async () => {
  const team = await product.newTeam();
  await reportCases(team, flaky('pays'));
  await quarantine(team, 'pays');
  await database.asOwner(
    `update test_quarantines set until = now() - interval '1 second' where integration_id = $1`,
    [team.integrationId],
  );
  assert.deepEqual(await quarantined(team), []);
  assert.deepEqual((await list(team, '?q=pays'))[0]?.quarantine, null);
  await waitUntil(
    'the entry to be in the event log',
    async () => (await entries(team))[0]?.includes('is over') === true,
  );
});

test('a member who leaves owns no quarantine, and it stays', async () => {
  const team = await product.newTeam();
  await reportCases(team, flaky('pays'));
  await quarantine(team, 'pays');
  assert.equal((await team.member.call('POST', team.path('/leave'))).status < 300, true);
  const [left] = await quarantined(team);
  assert.deepEqual([left?.name, left?.quarantine.owner], ['pays', null]);
});

test(`at most ${mostQuarantined} tests are in quarantine`, async () => {
  const team = await product.newTeam();
  await reportCases(team, flaky('pays'));
  await database.asOwner(
    `with t as (
       insert into tests (integration_id, test_id, repository, repository_key, suite, ordinal, class_name, name, first_seen_at, last_seen_at)
       select $1, gen_random_uuid(), 'acme/site', 1, '', n, '', n::text, now(), now() from generate_series(1, $2) n
       returning integration_id, test_id)
     insert into test_quarantines (integration_id, test_id, reason, until)
     select integration_id, test_id, 'Race', now() + interval '1 day' from t`,
    [team.integrationId, mostQuarantined],
  );
  refused(await quarantine(team, 'pays'), 403, 'quarantine_limit_reached');
  assert.equal((await quarantined(team)).length, mostQuarantined);
});
