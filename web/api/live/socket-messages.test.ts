import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMessage, socketAddress } from './socket-messages.ts';

test('the token and the channel are added to the address, encoded', () => {
  assert.equal(
    socketAddress({ url: 'wss://ci.example.com/ws', token: 'a+b/c=&d' } as never),
    'wss://ci.example.com/ws?token=a%2Bb%2Fc%3D%26d&channel=workflows',
  );
});

test('an address that has a query keeps it, and has one token', () => {
  const address = new URL(
    socketAddress({ url: 'wss://ci.example.com/ws?node=2&token=old', token: 'new' } as never),
  );
  assert.deepEqual([...address.searchParams].sort(), [
    ['channel', 'workflows'],
    ['node', '2'],
    ['token', 'new'],
  ]);
});

test('a message is its JSON', () => {
  assert.deepEqual(parseMessage('{"type":"pong"}'), { type: 'pong' });
});

test('a text that is no JSON object is no message', () => {
  for (const text of ['', ' ', 'null', 'true', '7', '"hello"', '{', '{"type":', 'undefined', '<html>', '\0'])
    assert.equal(parseMessage(text), undefined, text);
});
