import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import pg from 'pg';
import type { DeliveryDetail, DeliveryPage } from '#contract/deliveries/deliveries.ts';
import type { Usage } from '#contract/integrations/usage.ts';
import type { Problem } from '#contract/base/errors.ts';
import { loadConfig } from '#platform/runtime/settings/config.ts';
import { checkUsage } from '#server/commands/doctor/doctor-usage.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { readMetrics } from '#test/support/product/operator-metrics.ts';
import { startTestProgram } from '#test/support/product/test-program.ts';
import { passed, reportSender, xml } from '#test/support/team/test-reports.ts';
import { refused, startTeamProduct, type Team } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const mib = 1024 * 1024;
const limits = {
  INTEGRATION_BYTES_PER_DAY: String(4 * mib),
  INTEGRATION_EVENTS_PER_DAY: '8',
  PERSON_BYTES_PER_DAY: String(12 * mib),
};
const product = await startTeamProduct(limits, ['api', 'worker']);
const { newTeam, entries, baseUrl } = product;

/** A run whose commit message has 1.5 MiB, more than a message of the queue holds. */
const largeRun = (): object => ({
  ...runPayload(),
  padding: randomBytes((1.5 * mib) / 2).toString('hex'),
});

const post = (team: Team, payload: object = runPayload(), url = baseUrl, headers = {}): Promise<Response> =>
  postWebhook(url, team, { event: 'workflow_run', payload, headers });

async function statusesOf(responses: Promise<Response>[]): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const { status } of await Promise.all(responses)) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

const usageOf = async (team: Team, role: 'viewer' | 'owner' = 'viewer'): Promise<Usage> =>
  (await team[role].call('GET', team.path('/usage'))).body as unknown as Usage;

/** The numbers of a process are in the database a second later. */
const untilUsage = (team: Team, isReached: (usage: Usage) => boolean): Promise<Usage> =>
  waitUntil('the usage to be saved', async () => {
    const usage = await usageOf(team);
    return isReached(usage) && usage;
  });

const flooded = await newTeam('Flooded');

test('a flood of large signed bodies stops at the quota, and another integration goes on', async () => {
  const other = await newTeam('Other');
  const large = Array.from({ length: 12 }, () => post(flooded, largeRun()));
  assert.equal((await post(other)).status, 200);
  assert.deepEqual(await statusesOf(large), { 200: 3, 429: 9 });

  const answer = await post(flooded);
  const { code, detail } = (await answer.json()) as Problem;
  assert.deepEqual([answer.status, code], [429, 'quota_exceeded']);
  assert.match(detail, /4 MiB a day.*INTEGRATION_BYTES_PER_DAY/);
  const untilMidnight = (new Date().setUTCHours(24, 0, 0, 0) - Date.now()) / 1000;
  assert.ok(Math.abs(Number(answer.headers.get('retry-after')) - untilMidnight) < 60);
  assert.equal((await post(other)).status, 200);
});

test('the refusals of a day are one entry of the event log, counted in usage and metrics, and listed as deliveries', async () => {
  const usage = await untilUsage(flooded, ({ refused }) => refused >= 10);
  assert.deepEqual([usage.exceeded, usage.events], ['bytes', { used: 3, limit: 8 }]);
  assert.equal(usage.bytes.limit, 4 * mib);
  assert.ok(usage.bytes.used > 4.5 * mib && usage.bytes.used < 4.6 * mib, String(usage.bytes.used));
  assert.equal(usage.endsAt, new Date(new Date().setUTCHours(24, 0, 0, 0)).toISOString());

  await post(flooded);
  await untilUsage(flooded, ({ refused }) => refused > usage.refused);
  const logged = (await entries(flooded.integrationId)).filter(({ type }) => type !== 'integration.created');
  assert.deepEqual(
    logged.map(({ title }) => title),
    [
      'The quota of 4 MiB a day for webhooks and test reports is used up. Webhooks and test reports are refused until 00:00 UTC',
    ],
  );
  assert.match(await readMetrics(baseUrl), /forgewatch_quota_refusals_total\{quota="bytes"\} 11/);
  assert.match(await readMetrics(baseUrl), /forgewatch_webhooks_total\{outcome="quota_exceeded"\} 11/);

  const { body } = await flooded.viewer.call('GET', flooded.path('/deliveries?verdict=refused'));
  const [refusal] = (body as unknown as DeliveryPage).items;
  assert.equal(refusal?.reason, 'quota_exceeded');
  const detail = await flooded.viewer.call('GET', flooded.path(`/deliveries/${refusal.deliveryId}`));
  const { steps } = detail.body as unknown as DeliveryDetail;
  assert.deepEqual(
    steps.map(({ step, outcome }) => `${step} ${outcome}`),
    ['received done', 'verified done', 'queued failed'],
  );
  assert.match(steps[2]?.detail ?? '', /quota.*429/);
});

test('a restart and other processes keep the count', async () => {
  const { baseUrl: another } = await startTestProgram({ ...limits, DATABASE_URL: product.database.url }, [
    'api',
  ]);
  const answer = await post(flooded, runPayload(), another);
  assert.equal(answer.status, 429);
  const shared = await newTeam('Shared');
  for (const url of [baseUrl, another, baseUrl, another])
    assert.equal((await post(shared, runPayload(), url)).status, 200);
  assert.equal((await untilUsage(shared, ({ events }) => events.used === 4)).exceeded, null);
});

test('the number of webhooks has a quota of its own, and unsigned ones do not count', async () => {
  const team = await newTeam('Many');
  const unsigned = { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` };
  for (let index = 0; index < 10; index += 1)
    assert.equal((await post(team, runPayload(), baseUrl, unsigned)).status, 401);
  assert.deepEqual(await statusesOf(Array.from({ length: 10 }, () => post(team))), { 200: 8, 429: 2 });
  const { exceeded } = await untilUsage(team, ({ events }) => events.used === 8);
  assert.equal(exceeded, 'events');
});

test('a webhook that is not stored does not count', async () => {
  const team = await newTeam('Unstored');
  await post(team);
  for (let index = 0; index < 10; index += 1) {
    const headers = { 'x-github-event': 'ping' };
    assert.equal((await post(team, {}, baseUrl, headers)).status, 200);
    const broken = await postWebhook(baseUrl, team, { event: 'workflow_run', payload: 'no json' });
    assert.equal(broken.status, 400);
  }
  await post(team);
  const { bytes } = await untilUsage(team, ({ events }) => events.used === 2);
  assert.equal(bytes.used, 2 * JSON.stringify(runPayload()).length);
});

test('counts that the database refuses are saved later, and webhooks go on', async () => {
  const { database } = product;
  const team = await newTeam('Refused');
  await post(team);
  await untilUsage(team, ({ events }) => events.used === 1);
  await database.asOwner(`create function no_space() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file' using errcode = '53100'; end $$`);
  const tables = ['integration_usage', 'person_usage'];
  for (const table of tables)
    await database.asOwner(
      `create trigger no_space before insert or update on ${table} for each row execute function no_space()`,
    );
  assert.equal((await post(team)).status, 200);
  await waitUntil('the save to fail', () => product.logged().includes('"task":"usage of quotas"'));
  for (const table of tables) await database.asOwner(`drop trigger no_space on ${table}`);
  await untilUsage(team, ({ events }) => events.used === 2);
});

test('test reports count as bytes, unpacked, and are refused when the quota is used up', async () => {
  const team = await newTeam('Reports');
  const { upload } = reportSender(product);
  const report = xml(...Array.from({ length: 24_000 }, (_, index) => passed(`${index} ${'x'.repeat(60)}`)));
  assert.ok(report.length > 1.9 * mib && report.length < 2.5 * mib);
  assert.equal((await upload(team, { run: 1 }, report)).status, 201);
  assert.equal((await upload(team, { run: 2 }, report)).status, 201);
  refused(await upload(team, { run: 3 }, xml(passed('a'))), 429, 'quota_exceeded');
  const usage = await untilUsage(team, ({ exceeded }) => exceeded === 'bytes');
  assert.deepEqual([usage.bytes.used, usage.events.used], [2 * report.length, 0]);
});

test('all integrations of an owner share a quota, which only the owner sees', async () => {
  const [first, second] = [await newTeam('First'), await newTeam('Second')];
  assert.equal((await usageOf(first)).ownerBytes, null);
  const { ownerBytes: before } = await usageOf(first, 'owner');
  assert.equal(before?.limit, 12 * mib);
  const missing = Math.ceil((12 * mib - before.used) / (1.5 * mib));
  for (let index = 0; index < missing; index += 1)
    assert.equal((await post(index % 2 === 0 ? first : second, largeRun())).status, 200);
  const answer = await post(second);
  assert.equal(answer.status, 429);
  assert.match(((await answer.json()) as Problem).detail, /12 MiB a day for all integrations of the owner/);
  await untilUsage(second, ({ exceeded }) => exceeded === 'owner_bytes');
  assert.ok(((await usageOf(first, 'owner')).ownerBytes?.used ?? 0) >= 12 * mib);
});

test('doctor names the integrations whose quota is used up', async () => {
  const client = new pg.Client(product.database.url);
  await client.connect();
  const config = loadConfig({ ...limits });
  const findings = await checkUsage(client, config).finally(() => client.end());
  const flood = findings.find(({ text }) => text.startsWith(`Flooded (${flooded.integrationId})`));
  assert.match(flood?.text ?? '', /4 MiB a day.*is used up, \d+ refused today\. INTEGRATION_BYTES_PER_DAY/);
});

test('0 sets no limit', async () => {
  const none = Object.fromEntries(Object.keys(limits).map((name) => [name, '0']));
  const { baseUrl: unlimited } = await startTestProgram({ ...none, DATABASE_URL: product.database.url }, [
    'api',
  ]);
  assert.equal((await post(flooded, runPayload(), unlimited)).status, 200);
});
