import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLocalAddress } from './local-address.ts';

for (const [address, expected] of [
  ['http://localhost:8787/webhooks/1', true],
  ['http://127.0.0.1:8787/webhooks/1', true],
  ['http://[::1]/webhooks/1', true],
  ['https://ci.localhost/webhooks/1', true],
  ['https://ci.example.com/localhost', false],
  ['https://localhost.example.com/webhooks/1', false],
  ['https://127.example.com/webhooks/1', false],
  ['nothing', false],
] as const)
  test(`${address} is ${expected ? '' : 'not '}a local address`, () => {
    assert.equal(isLocalAddress(address), expected);
  });
