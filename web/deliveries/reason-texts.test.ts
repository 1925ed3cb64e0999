import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorCodes } from '#contract/base/errors.ts';
import { decodeOutcome } from '#server/deliveries/outcomes/outcome-codes.ts';
import { reasonText } from './reason-texts.ts';

/** Reasons of messages that could not be processed. */
const deadReasons = [
  'invalid_payload',
  'payload_too_complex',
  'invalid_json',
  'invalid_message',
  'payload_missing',
  'unreadable',
  'refused_by_store',
  'internal_error',
  'abandoned',
  'expired',
  'unsupported_event',
];
const isKnown = (reason: string): boolean => reasonText(reason).title !== reason;

test('each reason of a stale delivery has a title and needs no advice', () => {
  const outcomes = Array.from({ length: 256 }, (_, byte) => decodeOutcome(byte));
  const reasons = new Set(outcomes.flatMap((one) => (one?.outcome === 'stale' ? [one.reason] : [])));
  assert.ok(reasons.size > 5);
  for (const reason of reasons) {
    assert.ok(isKnown(reason), reason);
    assert.equal(reasonText(reason).advice, undefined, reason);
  }
});

test('each reason of a dead letter has a title, says what happened and what to do', () => {
  for (const reason of deadReasons) {
    assert.ok(isKnown(reason), reason);
    assert.match(reasonText(reason).what ?? '', /\.$/, reason);
    assert.match(reasonText(reason).advice ?? '', /\.$/, reason);
  }
});

test('each refusal of a webhook has a title and says what to do', () => {
  for (const code of [
    'invalid_signature',
    'payload_too_large',
    'unsupported_event',
    'invalid_json',
  ] as const) {
    assert.ok(code in errorCodes);
    assert.ok(isKnown(code), code);
    assert.match(reasonText(code).advice ?? '', /\.$/, code);
  }
});

test('a reason of a newer server is shown as it is, whatever it is called', () => {
  for (const reason of ['sender_unknown', 'constructor', '__proto__', 'toString', 'hasOwnProperty', ''])
    assert.deepEqual(reasonText(reason), { title: reason });
});
