import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type, type TSchema } from 'typebox';
import { EmailAddress, oneLine } from '#contract/base/schema.ts';
import { compileValidator } from '#platform/http/validation.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { inPlainWords, isAt } from './form-faults.ts';

/** The message that the server sends for a field with this value, as the form shows it. */
function shown(schema: TSchema, value: unknown): string {
  try {
    compileValidator('body', Type.Object({ field: schema }))(value === undefined ? {} : { field: value });
  } catch (error) {
    assert.ok(error instanceof AppError);
    return inPlainWords(error.errors?.[0]?.message ?? '');
  }
  throw new assert.AssertionError({ message: 'the server accepts the value' });
}

test('messages of the server become sentences that say what to enter', () => {
  assert.equal(shown(Type.String(), undefined), 'This field is required.');
  assert.equal(shown(oneLine(100), ''), 'This field is required.');
  assert.equal(shown(Type.Array(Type.String(), { minItems: 1 }), []), 'This field is required.');
  assert.equal(shown(EmailAddress, 'ann'), 'Enter e-mail addresses, such as name@example.com.');
  assert.equal(shown(Type.String({ maxLength: 3 }), 'four'), 'Enter at most 3 characters.');
  assert.equal(shown(Type.Array(Type.String(), { maxItems: 1 }), ['a', 'b']), 'Enter at most 1.');
  assert.equal(shown(Type.Integer({ maximum: 60 }), 61), 'Enter 60 or less.');
  assert.equal(shown(Type.Integer({ minimum: 5 }), 4), 'Enter 5 or more.');
});

test('any other message becomes a sentence', () => {
  assert.equal(inPlainWords('the host is not allowed'), 'The host is not allowed.');
  assert.equal(inPlainWords('Is it? No!'), 'Is it? No!');
});

test('an error belongs to its field and to the field that contains it', () => {
  const field = { name: 'channels.0.to', isGroup: false };
  assert.ok(isAt(field, { field: 'channels.0.to', message: '' }));
  assert.ok(isAt(field, { field: 'channels.0.to.1', message: '' }));
  assert.ok(!isAt(field, { field: 'channels.0.token', message: '' }));
  assert.ok(!isAt(field, { field: 'channels.0', message: '' }));
});

test('an error of a part is not shown at its group, nor at fields without a name', () => {
  const group = { name: 'channels', isGroup: true };
  assert.ok(isAt(group, { field: 'channels', message: '' }));
  assert.ok(!isAt(group, { field: 'channels.0.url', message: '' }));
  assert.ok(!isAt({ name: '', isGroup: false }, { field: 'channels', message: '' }));
});
