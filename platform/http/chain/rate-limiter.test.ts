import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressKey, makeRateLimiter, siteKey } from './rate-limiter.ts';

test('a key may call as often as the limit in each window, independent of other keys', (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const limiter = makeRateLimiter(2, 1000);
  assert.deepEqual(
    [limiter.count('a'), limiter.count('a'), limiter.count('b')],
    [undefined, undefined, undefined],
  );
  now = 400;
  assert.deepEqual([limiter.count('a'), limiter.count('b')], [600, undefined]);
  now = 1000;
  assert.deepEqual(
    [limiter.count('a'), limiter.count('a'), limiter.count('a')],
    [undefined, undefined, 1000],
  );
});

test('an IPv6 address counts as its network, an IPv4 address as itself in both notations', () => {
  assert.equal(addressKey('2001:db8:1:2:3::1'), addressKey('2001:db8:1:2:ffff::9'));
  assert.notEqual(addressKey('2001:db8:1:2::1'), addressKey('2001:db8:1:3::1'));
  assert.equal(addressKey('::ffff:192.0.2.1'), addressKey('192.0.2.1'));
  assert.notEqual(addressKey('192.0.2.1'), addressKey('192.0.2.2'));
});

test('addresses of one site share time, whatever their network', () => {
  assert.equal(siteKey('2001:db8:1:2::1'), siteKey('2001:db8:1:ffff::1'));
  assert.notEqual(siteKey('2001:db8:1::1'), siteKey('2001:db8:2::1'));
  assert.equal(siteKey('::ffff:192.0.2.1'), siteKey('192.0.2.1'));
  assert.notEqual(siteKey('192.0.2.1'), siteKey('192.0.2.2'));
});
