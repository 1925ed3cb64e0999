import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayAccept, isAllowedForLink, type OfferedInvitation } from './rules.ts';

const offered: OfferedInvitation = {
  email: 'Ann@Example.com',
  role: 'admin',
  status: 'pending',
  isExpired: false,
  inviterRole: 'admin',
};
const ann = { email: 'ann@example.com', isEmailVerified: true };

test('an invitation is accepted by its address, upper and lower case alike', () => {
  assert.equal(mayAccept(offered, ann), 'yes');
});

test('a character that only resembles a letter makes another address', () => {
  const invitation = { ...offered, email: 'kim@example.com' };
  assert.equal(mayAccept(invitation, { email: 'KIM@example.com', isEmailVerified: true }), 'yes');
  assert.equal(mayAccept(invitation, { email: '\u212Aim@example.com', isEmailVerified: true }), 'not_found');
});

test('an address that is another, missing or not verified learns nothing of it, not even that it has ended', () => {
  for (const invitation of [
    offered,
    { ...offered, status: 'revoked' as const },
    { ...offered, isExpired: true },
  ])
    for (const person of [
      { email: 'ben@example.com', isEmailVerified: true },
      { email: 'ann@example.com', isEmailVerified: false },
      { email: null, isEmailVerified: true },
      { email: '', isEmailVerified: true },
    ])
      assert.equal(mayAccept(invitation, person), 'not_found');
});

test('a used, revoked or expired invitation has ended, and one whose inviter lost the right', () => {
  for (const change of [
    { status: 'accepted' },
    { status: 'revoked' },
    { isExpired: true },
    { inviterRole: undefined },
    { inviterRole: 'member' },
  ] satisfies Partial<OfferedInvitation>[])
    assert.equal(mayAccept({ ...offered, ...change }, ann), 'invitation_ended');
});

test('a link is for anybody, verified or not, and gives member at most', () => {
  const link = { ...offered, email: null, role: 'member' as const };
  assert.equal(mayAccept(link, { email: null, isEmailVerified: false }), 'yes');
  assert.deepEqual(
    [
      isAllowedForLink('viewer'),
      isAllowedForLink('member'),
      isAllowedForLink('admin'),
      isAllowedForLink('owner'),
    ],
    [true, true, false, false],
  );
});
