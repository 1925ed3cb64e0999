import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { test, type TestContext } from 'node:test';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { ClientTurns, type Reader } from './client-turns.ts';

const never = (): void => assert.fail('too much waits');

function readerOf(client: string, readSlice: () => boolean): Reader {
  return { client, isClosed: false, readSlice };
}

test('a client that has not waited reads before the many connections of another', async () => {
  const turns = new ClientTurns();
  const order: string[] = [];
  const reader = (client: string, slices: number): Reader =>
    readerOf(client, () => order.push(client) > 0 && (slices -= 1) > 0);
  for (let count = 0; count < 30; count += 1) turns.wait(reader('busy', 10), true);
  turns.wait(reader('other', 2), true);
  await waitUntil('all slices', () => order.length === 302);
  assert.ok(order.lastIndexOf('other') <= 5, order.join(' '));
});

for (const [what, clientOf] of [
  ['clients that have waited get slices while new ones', (newcomer: number) => `new ${newcomer}`],
  ['a connection that has waited gets slices while new ones of its client', () => 'waiting'],
] as const)
  test(`${what} arrive all the time`, async () => {
    const turns = new ClientTurns();
    let slices = 0;
    let newcomers = 0;
    turns.wait(
      readerOf('waiting', () => (slices += 1) < 100),
      true,
    );
    const arrive = (): boolean => {
      newcomers += 1;
      if (slices < 100 && newcomers < 1_000) turns.wait(readerOf(clientOf(newcomers), arrive), true);
      return false;
    };
    arrive();
    await waitUntil('all slices', () => slices === 100);
    assert.ok(newcomers <= 110, `${newcomers} came before`);
  });

test('while connections arrive, clients that have waited get slices, however long the loop takes', async (t) => {
  const arrivals = new Arrivals(t);
  let slices = 0;
  arrivals.wait(
    readerOf('waiting', () => {
      arrivals.now += 0.5;
      return (slices += 1) < 50;
    }),
  );
  for (let newcomer = 0; newcomer < 150; newcomer += 1) {
    arrivals.now += 5;
    arrivals.wait(readerOf(`new ${newcomer}`, () => false));
    await arrivals.arrive();
  }
  assert.equal(slices, 50);
});

test('a client has 64 requests in progress, further ones begin when some end, and others do not wait for it', async () => {
  const turns = new ClientTurns();
  let begun = 0;
  const ends = Array.from({ length: 72 }, () =>
    turns.request('busy', { begin: () => void (begun += 1), giveUp: never }),
  );
  let hasOtherBegun = false;
  turns.request('other', { begin: () => (hasOtherBegun = true), giveUp: never });
  await waitUntil('the other', () => hasOtherBegun);
  assert.equal(begun, 64);
  ends[0]?.();
  ends[71]?.();
  await waitUntil('one more', () => begun === 65);
  await nextTurn();
  assert.equal(begun, 65);
  for (const end of ends) end();
});

test('while connections arrive, a client has 16 requests in progress', async (t) => {
  const arrivals = new Arrivals(t);
  let begun = 0;
  const ends = await arrivals.waitWith(40, () => void (begun += 1));
  await arrivals.arrive(60);
  assert.equal(begun, 16);
  for (const end of ends) end();
});

test('while connections arrive, a request that takes long is the only one of its turn', async (t) => {
  const arrivals = new Arrivals(t);
  let begun = 0;
  const ends = await arrivals.waitWith(10, () => {
    begun += 1;
    arrivals.now += 0.5;
  });
  for (let turns = 400; turns > 0; turns -= 1) {
    const before = begun;
    await arrivals.arrive();
    assert.ok(begun - before <= 1, `${begun - before} in one turn`);
  }
  assert.equal(begun, 10);
  for (const end of ends) end();
});

/** Connections that arrive in each turn, with a clock of its own. */
class Arrivals {
  now = 0;
  readonly #turns = new ClientTurns();

  constructor(t: TestContext) {
    t.mock.method(performance, 'now', () => this.now);
  }

  async arrive(count = 1): Promise<void> {
    for (; count > 0; count -= 1) {
      this.now += 0.6;
      this.#turns.accepted();
      await nextTurn();
    }
  }

  wait(reader: Reader): void {
    this.#turns.wait(reader, true);
  }

  async waitWith(requests: number, begin: () => void): Promise<(() => void)[]> {
    await this.arrive();
    // Nobody begins at once while another waits.
    this.#turns.wait(
      readerOf('another', () => false),
      true,
    );
    return Array.from({ length: requests }, () => this.#turns.request('busy', { begin, giveUp: never }));
  }
}

test('requests begin also when the connections before them are closed', async () => {
  const turns = new ClientTurns();
  const begun: string[] = [];
  const request = (client: string) =>
    turns.request(client, { begin: () => void begun.push(client), giveUp: never });
  // Nobody begins at once while another waits.
  turns.wait(
    readerOf('another', () => false),
    true,
  );
  request('client');
  turns.wait({ ...readerOf('client', never as () => never), isClosed: true }, true);
  request('client');
  await waitUntil('both', () => begun.length === 2);
});

test('requests that last longer leave their places to others', async () => {
  const turns = new ClientTurns();
  let begun = 0;
  const begin = (): void => void (begun += 1);
  const ends = Array.from({ length: 65 }, () => turns.request('slow', { begin, giveUp: never }));
  assert.equal(begun, 64);
  await waitUntil('the last one', () => begun === 65);
  for (const end of ends) end();
});

test('a client waits with 1,000 requests or connections', () => {
  const turns = new ClientTurns();
  let givenUp = 0;
  const request = (client: string, count: number): void => {
    for (; count > 0; count -= 1) turns.request(client, { begin: () => {}, giveUp: () => (givenUp += 1) });
  };
  request('flood', 1_600);
  assert.equal(givenUp, 1_600 - 64 - 1_000);
  assert.deepEqual([turns.isFull('flood'), turns.isFull('other')], [true, false]);
  request('half', 64 + 400);
  assert.equal(turns.isFull('half'), false);
  for (let count = 0; count < 100; count += 1)
    turns.wait(
      readerOf('half', () => false),
      true,
    );
  assert.deepEqual([turns.isFull('half'), turns.isFull('other')], [true, false]);
});

test('clients share the connections that wait', () => {
  const turns = new ClientTurns();
  const waitWith = (client: string, count: number): void => {
    for (let number = 0; number < count; number += 1)
      turns.wait(
        readerOf(client, () => false),
        true,
      );
  };
  waitWith('flood 1', 249);
  for (const client of ['flood 2', 'flood 3', 'flood 4']) waitWith(client, 1);
  assert.equal(turns.isFull('flood 1'), false);
  waitWith('flood 1', 1);
  assert.deepEqual([turns.isFull('flood 1'), turns.isFull('flood 2')], [true, false]);
  for (let number = 5; number <= 50; number += 1) waitWith(`flood ${number}`, 1);
  waitWith('flood 2', 126);
  assert.equal(turns.isFull('flood 2'), false);
});

test('a request does not begin in the context of another', async () => {
  const turns = new ClientTurns();
  const person = new AsyncLocalStorage<string>();
  const seen: unknown[] = [];
  const begin = (): void => void seen.push(person.getStore());
  const ends = Array.from({ length: 65 }, () => turns.request('client', { begin, giveUp: never }));
  person.run('someone else', () => ends[0]?.());
  await waitUntil('the last one', () => seen.length === 65);
  assert.deepEqual(new Set(seen), new Set([undefined]));
});
