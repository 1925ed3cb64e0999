import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import pino from 'pino';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { serve } from '#test/support/network/serve.ts';
import { KeysUnavailable, makeProviderKeys } from './keys.ts';

async function newKey(kid: string): Promise<JWK> {
  const { publicKey } = await generateKeyPair('RS256', { extractable: true });
  return { ...(await exportJWK(publicKey)), kid, use: 'sig', alg: 'RS256' };
}
const [one, two] = [await newKey('one'), await newKey('two')];

let published: unknown = { keys: [one] };
let status = 200;
let location: string | undefined;
let calls = 0;
const { url: origin } = await serve((_request, response) => {
  calls += 1;
  response.writeHead(status, location === undefined ? {} : { location });
  response.end(JSON.stringify(published));
});
const url = `${origin}/jwks`;

let now = 0;
beforeEach(() => {
  published = { keys: [one] };
  status = 200;
  location = undefined;
  calls = 0;
  now = 1_000_000;
});

const makeKeys = () =>
  makeProviderKeys({ address: async () => url, fetch, clock: () => now, log: pino({ level: 'silent' }) });

test('a key is read once for concurrent requests', async () => {
  const keys = makeKeys();
  const found = await Promise.all(Array.from({ length: 100 }, () => keys.find('one')));
  assert.ok(found.every((key) => key !== undefined && key === found[0]));
  assert.equal(calls, 1);
});

test('an unknown key id asks the provider once in ten seconds, whether it responds or not', async () => {
  const keys = makeKeys();
  for (let count = 0; count < 1000; count++) {
    assert.equal(await keys.find('unknown'), undefined);
    now += 9;
  }
  assert.equal(calls, 1);
  status = 503;
  now += 10_000;
  for (let count = 0; count < 1000; count++) {
    await assert.rejects(keys.find('unknown'), KeysUnavailable);
    now += 9;
  }
  assert.equal(calls, 2);
});

test('a new key is found at once, and a withdrawn one expires with the next reading', async () => {
  const keys = makeKeys();
  await keys.find('one');
  published = { keys: [two] };
  now += 10_000;
  assert.ok(await keys.find('two'));
  assert.equal(keys.current().has('one'), false);
  now += 5;
  assert.equal(await keys.find('one'), undefined);
});

test('a key id that appears soon after a reading stays unknown until the next one and asks nothing', async () => {
  const keys = makeKeys();
  assert.equal(await keys.find('made up'), undefined);
  published = { keys: [one, two] };
  now += 5;
  assert.equal(await keys.find('two'), undefined);
  assert.equal(await keys.find('also made up'), undefined);
  assert.equal(calls, 1);
  now += 10_000;
  assert.ok(await keys.find('two'));
  assert.equal(await keys.find('also made up'), undefined);
  assert.equal(calls, 2);
});

test('the regular reading does not use up the reading that an unknown key id may start', async () => {
  const keys = makeKeys();
  await keys.service.start();
  await waitUntil('the regular reading', () => keys.current().has('one'));
  published = { keys: [two] };
  now += 5;
  assert.ok(await keys.find('two'));
  await keys.service.stop();
});

test('a key id that the provider has just used is read at once, and once', async () => {
  const keys = makeKeys();
  assert.equal(await keys.find('made up'), undefined);
  published = { keys: [one, two] };
  now += 5;
  assert.ok(await keys.findNew('two'));
  assert.equal(calls, 2);
  for (let count = 0; count < 100; count++) {
    now += 5;
    assert.equal(await keys.findNew('three'), undefined);
  }
  assert.equal(calls, 3);
});

test('the last keys stay valid for a day when the provider is unreachable', async () => {
  const keys = makeKeys();
  await keys.find('one');
  status = 500;
  now += 2 * 3_600_000;
  for (let count = 0; count < 100; count++) assert.ok(await keys.find('one'));
  now += 23 * 3_600_000;
  await assert.rejects(keys.find('one'), KeysUnavailable);
});

test('a key set is ignored when the response is a redirect or an error', async () => {
  for (const wrong of [
    () => {
      status = 302;
      location = 'http://127.0.0.1:1/';
    },
    () => (status = 404),
  ]) {
    status = 200;
    wrong();
    await assert.rejects(makeKeys().find('one'), KeysUnavailable);
  }
});

test('an invalid key leaves the others usable, and a repeated key id is not used', async () => {
  const weak = { ...one, kid: 'weak', n: Buffer.alloc(128, 255).toString('base64url') };
  published = {
    keys: [
      null,
      5,
      { kty: 'RSA', kid: 'broken', n: '%', e: 'AQAB' },
      { ...one, kid: 'for-encryption', use: 'enc' },
      { ...one, kid: 'for-another', alg: 'RS512' },
      { ...one, kid: 'no-verify', key_ops: ['encrypt'] },
      { ...one, kid: 'x'.repeat(129) },
      weak,
      { ...two, kid: 'twice' },
      { ...one, kid: 'twice' },
      two,
    ],
  };
  const keys = makeKeys();
  assert.ok(await keys.find('two'));
  for (const kid of [
    'broken',
    'for-encryption',
    'for-another',
    'no-verify',
    'x'.repeat(129),
    'weak',
    'twice',
    'one',
  ])
    assert.equal(keys.current().has(kid), false, kid);
});
