import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mailText } from './invitations/mail-text.ts';
import { personName } from './person-name.ts';

const named = (name: string | null, forgeLogin: string | null, email: string | null): string =>
  personName({ name, forgeLogin, email } as never);

test('a person has a name, a login or an address, in this order', () => {
  assert.equal(named('Ann', 'ann', 'ann@example.com'), 'Ann');
  assert.equal(named(null, 'ann', 'ann@example.com'), 'ann');
  assert.equal(named(null, null, 'ann@example.com'), 'ann@example.com');
  assert.equal(named(null, null, null), 'Somebody without a name');
});

test('a name of a megabyte does not fill the list', () => {
  assert.equal(named('x'.repeat(1e6), null, null), `${'x'.repeat(80)}…`);
});

test('after an invitation, the inviter reads whether to share the link', () => {
  assert.match(mailText('sent', 'ann@example.com'), /^Sent to ann@example\.com\./);
  assert.match(mailText('sent', null), /^Sent to them\./);
  for (const outcome of ['failed', 'not_configured'] as const)
    assert.match(mailText(outcome, 'ann@example.com'), /Share the link yourself\.$/);
});
