import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDemoDeployment, isFromThisMachine } from './this-machine.ts';

const from = (remoteAddress: string, headers: Record<string, string>): boolean =>
  isFromThisMachine({ headers, socket: { remoteAddress } } as unknown as Parameters<
    typeof isFromThisMachine
  >[0]);

test('who sits at this machine asks it from loopback, by a name of loopback', () => {
  for (const host of ['localhost:8787', '127.0.0.1:8787', '[::1]:8787'])
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1'])
      assert.equal(from(address, { host }), true, `${address} ${host}`);
});

for (const [who, address, headers] of [
  ['another machine', '192.0.2.1', { host: 'localhost:8787' }],
  ['another machine over IPv6', '2001:db8::1', { host: 'localhost:8787' }],
  ['a proxy on this machine', '127.0.0.1', { host: 'localhost:8787', 'x-forwarded-for': '192.0.2.1' }],
  ['a proxy that says so otherwise', '127.0.0.1', { host: 'localhost:8787', forwarded: 'for=192.0.2.1' }],
  ['a page whose name was bound to this machine', '127.0.0.1', { host: 'evil.example:8787' }],
  ['a page whose name begins like this machine', '127.0.0.1', { host: '127.0.0.1.evil.example' }],
  ['somebody who asks for no name', '127.0.0.1', {}],
] as [string, string, Record<string, string>][]) {
  test(`${who} is somewhere else`, () => assert.equal(from(address, headers), false));
}

test('the demo is for loopback alone, and where nobody could sign in otherwise', () => {
  const trial = { host: '127.0.0.1', publicUrl: 'http://localhost:8787' };
  const unset = { oidcIssuer: undefined, forgeClientId: undefined };
  assert.equal(isDemoDeployment({ ...trial, ...unset }), true);
  for (const change of [
    { host: '0.0.0.0' },
    { publicUrl: 'https://ci.example.com' },
    { oidcIssuer: 'https://id.example.com' },
    { forgeClientId: 'client' },
  ])
    assert.equal(isDemoDeployment({ ...trial, ...unset, ...change }), false, JSON.stringify(change));
});
