import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'node:test';
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

test('clients that have waited get slices while new ones arrive all the time', async () => {
  const turns = new ClientTurns();
  let slices = 0;
  let newcomers = 0;
  turns.wait(
    readerOf('waiting', () => (slices += 1) < 100),
    true,
  );
  const arrive = (): void => {
    if (slices >= 100 || newcomers > 10_000) return;
    for (let count = 0; count < 50; count += 1)
      turns.wait(
        readerOf(`new ${(newcomers += 1)}`, () => false),
        true,
      );
    setImmediate(arrive);
  };
  arrive();
  await waitUntil('all slices', () => slices === 100);
  assert.ok(newcomers <= 10_000, `${newcomers} came before`);
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

test('a client waits with 1,000 requests and as many connections', () => {
  const turns = new ClientTurns();
  let givenUp = 0;
  for (let count = 0; count < 1_600; count += 1)
    turns.request('flood', { begin: () => {}, giveUp: () => (givenUp += 1) });
  assert.equal(givenUp, 1_600 - 64 - 1_000);
  assert.equal(turns.isFull('flood'), false);
  for (let count = 0; count < 1_000; count += 1)
    turns.wait(
      readerOf('flood', () => false),
      true,
    );
  assert.deepEqual([turns.isFull('flood'), turns.isFull('other')], [true, false]);
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
