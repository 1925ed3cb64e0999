import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Health } from '#contract/metrics/health.ts';
import { mostPrices, type MinutePrice } from '#contract/metrics/minute-prices.ts';
import { jobPayload } from '#test/support/data/forge-events.ts';
import { recordPayload } from '#test/support/data/record-payload.ts';
import { startTeamProduct, type Team } from '#test/support/team/team.ts';

const product = await startTeamProduct();
const today = new Date().toISOString().slice(0, 10);
const price = {
  runner: 'linux, self-hosted',
  validFrom: '2026-01-01',
  pricePerMinute: 0.008,
  currency: 'USD',
};

const list = async (team: Team): Promise<MinutePrice[]> =>
  (await team.viewer.call('GET', team.path('/minute-prices'))).body.items as unknown as MinutePrice[];
const set = (team: Team, change: object = {}, by = team.admin) =>
  by.call('PUT', team.path('/minute-prices'), { ...price, ...change });
const minutes = async (team: Team): Promise<Health['minutes']> =>
  ((await team.viewer.call('GET', team.path('/health'))).body as unknown as Health).minutes;

/** A job of 150 seconds that has just completed. */
async function addJob(team: Team): Promise<void> {
  const completed = Date.now();
  const started = new Date(completed - 150_000).toISOString();
  const payload = jobPayload({
    status: 'completed',
    conclusion: 'success',
    labels: ['self-hosted', 'linux'],
    created_at: started,
    started_at: started,
    completed_at: new Date(completed).toISOString(),
  });
  await recordPayload(product.database, team.integrationId, 'workflow_job', payload);
}

test('minutes have a cost from the day on from which they have a price, and none before', async () => {
  const team = await product.newTeam();
  await addJob(team);
  assert.deepEqual((await minutes(team)).costs, []);
  assert.equal((await set(team)).status, 200);
  const cost = { currency: 'USD', amount: 0.024, minutes: 3 };
  const { costs, labels } = await minutes(team);
  assert.deepEqual(costs, [cost]);
  assert.deepEqual(labels, [{ runner: price.runner, jobs: 1, billableMinutes: 3, costs: [cost] }]);

  await set(team, { validFrom: '8999-01-01', pricePerMinute: 5 });
  assert.deepEqual((await minutes(team)).costs, [cost]);
  await set(team, { pricePerMinute: 0, currency: 'EUR' });
  assert.deepEqual((await minutes(team)).costs, [{ currency: 'EUR', amount: 0, minutes: 3 }]);

  const prices = await list(team);
  assert.deepEqual(
    prices.map(({ validFrom, pricePerMinute, currency, setBy }) => [
      validFrom,
      pricePerMinute,
      currency,
      setBy?.userId,
    ]),
    [
      ['8999-01-01', 5, 'USD', team.admin.userId],
      ['2026-01-01', 0, 'EUR', team.admin.userId],
    ],
  );
  const one = team.path(`/minute-prices/${prices[1]?.priceId}`);
  assert.equal((await team.admin.call('DELETE', one)).status, 204);
  assert.equal((await team.admin.call('DELETE', one)).status, 404);
  assert.deepEqual((await minutes(team)).costs, []);
});

test('only an admin sets a price, and the event log says which', async () => {
  const team = await product.newTeam();
  assert.equal((await set(team, {}, team.member)).status, 403);
  assert.equal((await set(team)).status, 200);
  const [{ priceId } = { priceId: '' }] = await list(team);
  const one = team.path(`/minute-prices/${priceId}`);
  assert.equal((await team.member.call('DELETE', one)).status, 403);
  assert.equal((await team.admin.call('DELETE', one)).status, 204);
  const { body } = await team.viewer.call('GET', team.path('/event-log?type=integration.price_changed'));
  assert.deepEqual(
    body.items.map(({ title }) => title),
    [
      'The price of linux, self-hosted, 0.008 USD from 2026-01-01 on, was removed',
      'A minute of linux, self-hosted costs 0.008 USD from 2026-01-01 on',
    ],
  );
});

test('a price that is none is refused', async () => {
  const team = await product.newTeam();
  for (const change of [
    { pricePerMinute: 0.0000001 },
    { pricePerMinute: -1 },
    { pricePerMinute: 101 },
    { currency: 'usd' },
    { validFrom: '2026-02-30' },
    { validFrom: '0001-01-01' },
    { runner: '' },
  ])
    assert.equal((await set(team, change)).status, 400, JSON.stringify(change));
  assert.deepEqual(await list(team), []);
  assert.equal((await set(team, { pricePerMinute: 0.000001, validFrom: today })).status, 200);
});

test('an integration has at most so many prices, and a known one can still change', async () => {
  const team = await product.newTeam();
  await product.database.asOwner(
    `insert into minute_prices (integration_id, runner, valid_from, price_parts, currency)
     select $1, 'runner ' || n, '2026-01-01', 1, 'USD' from generate_series(1, $2) n`,
    [team.integrationId, mostPrices],
  );
  assert.equal((await set(team)).status, 409);
  assert.equal((await set(team, { runner: 'runner 7' })).status, 200);
  assert.equal((await list(team)).length, mostPrices);
});
