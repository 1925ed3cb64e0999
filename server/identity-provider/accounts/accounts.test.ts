import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { demoAccount, demoName, forgeAccount, idTokenClaimNames, idTokenClaimsOf } from './accounts.ts';

test('a typed name becomes an account whose address cannot receive mail', () => {
  const account = demoAccount('  Zoë O’Neill ');
  assert.deepEqual(
    [account?.subject, account?.name, account?.nickname, account?.email],
    ['demo-zoe-o-neill', 'Zoë O’Neill', 'zoe-o-neill', 'zoe-o-neill@demo.example'],
  );
});

test('the demo user has one account, however the name is typed', () => {
  for (const typed of [demoName, ' Demo user ', 'demo', 'Demo', 'DEMO!'])
    assert.deepEqual([demoAccount(typed)?.subject, demoAccount(typed)?.name], ['demo', demoName], typed);
});

test('a name without a visible character is no account', () => {
  for (const typed of ['', '   ', '\u0000', '\u200b', '\u202e \u2066', '\ud83d', '\n\t'])
    assert.equal(demoAccount(typed), undefined, JSON.stringify(typed));
});

test('names of another script have different accounts', () => {
  const subjects = ['日本', '中国', 'فريق', '😀', '!!!'].map((name) => demoAccount(name)?.subject);
  assert.equal(new Set(subjects).size, subjects.length);
  for (const subject of subjects) assert.match(subject ?? '', /^demo-[0-9a-f]{8}$/);
});

test('a long name is cut, never within an emoji', () => {
  assert.equal(demoAccount('x'.repeat(500))?.name, 'x'.repeat(60));
  assert.equal(demoAccount(`${'x'.repeat(59)}😀`)?.name, 'x'.repeat(59));
});

test('every account can be stored, and its address is one', () => {
  const typed = fc.string({
    unit: fc.constantFrom('a', 'É', 'ß', ' ', '-', '@', '"', '<', '日', '😀', '\u0301'),
    maxLength: 80,
  });
  fc.assert(
    fc.property(typed, (name) => {
      const account = demoAccount(name);
      if (account === undefined) return;
      assert.match(account.email ?? '', /^[a-z0-9]+(-[a-z0-9]+)*@demo\.example$/);
      assert.ok(account.name?.isWellFormed() && account.name.length <= 60);
      assert.ok(account.subject.startsWith('demo'));
    }),
  );
});

const profile = { sub: '42', preferred_username: 'ann', nickname: 'ann', name: 'Ann' } as never;

test('people of two forges with the same number are different people', () => {
  const [one, other] = ['https://github.com', 'https://git.example.com:3000/base'].map((url) =>
    forgeAccount(url, profile),
  );
  assert.deepEqual([one?.subject, other?.subject], ['github.com_42', 'git.example.com:3000_42']);
  assert.deepEqual([one?.forge_id, other?.forge_id], ['42', '42']);
});

test('an address of the forge counts as verified only when the forge says so', () => {
  const verified = (email_verified: unknown) =>
    forgeAccount('https://github.com', {
      ...(profile as object),
      email: 'ann@example.com',
      email_verified,
    } as never).is_email_verified;
  assert.deepEqual([true, false, undefined, 'true', 1].map(verified), [true, false, false, false, false]);
});

test('claims contain only what is known, under names that the provider announces', () => {
  const claims = idTokenClaimsOf(forgeAccount('https://github.com', profile), 'session');
  const named = Object.entries(claims).filter(([, value]) => value !== undefined);
  assert.deepEqual(Object.fromEntries(named), {
    sub: 'github.com_42',
    'cognito:username': 'github.com_42',
    origin_jti: 'session',
    name: 'Ann',
    nickname: 'ann',
    'custom:forge_id': '42',
  });
  for (const [name] of named) assert.ok(idTokenClaimNames.includes(name), name);
});
