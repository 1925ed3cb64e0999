import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Bytes } from '../queue.ts';
import { buildTaskMessage, buildWebhookMessage, parseMessage } from './message.ts';

const head = {
  eventType: 'workflow_job',
  integrationId: '5f0c6e6e-7f3b-4a52-9d0a-3f8c54c1f0aa',
  deliveryId: '72d3162e-cc78-11e3-81ab-4c9367dc0958',
  receivedAt: new Date('2026-01-02T03:04:05.678Z'),
};
const textOf = (body: Bytes): string => {
  const bytes = Buffer.alloc(body.length);
  assert.equal(body.copy(bytes, 0), body.length);
  return bytes.toString();
};
const build = (payload: string): string =>
  textOf(buildWebhookMessage({ ...head, payload: Buffer.from(payload) }));

test('a payload travels as received: spaces, number forms and key order survive', () => {
  const payload = '{ "b":1.0,\n"a": 12345678901234567890, "a": "\\u00e9" }';
  const body = build(payload);
  assert.ok(body.includes(payload));
  const parsed = parseMessage(body);
  assert.ok(parsed.ok && 'eventType' in parsed.message);
  const { payload: read, ...rest } = parsed.message;
  assert.deepEqual(rest, { ...head, receivedAt: head.receivedAt.toISOString() });
  assert.deepEqual(read, JSON.parse(payload));
});

test('a payload kept apart is referred to', () => {
  const payloadRef = '0c6f3b52-52a5-4e0e-9a6b-1c9a3c6ad4f1';
  const parsed = parseMessage(textOf(buildWebhookMessage({ ...head, payloadRef })));
  assert.deepEqual(parsed, {
    ok: true,
    message: { ...head, receivedAt: head.receivedAt.toISOString(), payloadRef },
  });
});

test('nothing in a payload can take the place of the fields around it', () => {
  const parsed = parseMessage(build('{},"integrationId":"somebody-else","eventType":"ping"'));
  assert.ok(parsed.ok && 'integrationId' in parsed.message && 'eventType' in parsed.message);
  assert.equal(parsed.message.integrationId, head.integrationId);
  assert.equal(parsed.message.eventType, head.eventType);
});

test('a task and an event are distinguished', () => {
  const task = {
    taskType: 'org_member_sync',
    integrationId: head.integrationId,
    installationId: '77',
  } as const;
  assert.deepEqual(parseMessage(buildTaskMessage(task).toString()), { ok: true, message: task });
});

test('a text that is not a message is refused with the reason', () => {
  for (const body of ['', '{', 'null null', '{"eventType":}', '\u0000', '[1,]', 'undefined'])
    assert.deepEqual(
      { ...parseMessage(body), detail: '' },
      { ok: false, reason: 'invalid_json', detail: '' },
      JSON.stringify(body),
    );
  for (const value of [
    null,
    1,
    'text',
    [],
    {},
    { ...head, receivedAt: 'yesterday' },
    { ...head, eventType: 1 },
  ]) {
    const parsed = parseMessage(JSON.stringify(value));
    assert.ok(!parsed.ok && parsed.reason === 'invalid_message' && parsed.detail.length > 0);
  }
  const parsed = parseMessage(JSON.stringify({ ...head, deliveryId: 7 }));
  assert.ok(!parsed.ok && parsed.detail.includes('/deliveryId'));
});

test('the detail of a refusal quotes nothing of the message', () => {
  const parsed = parseMessage(JSON.stringify({ ...head, eventType: ['needle'], needle: 'needle' }));
  assert.ok(!parsed.ok && !parsed.detail.includes('needle'));
});

test('nesting of any depth, huge numbers, NUL and lone surrogates do not throw', () => {
  const depth = 300_000;
  const payloads = [
    `${'['.repeat(depth)}${']'.repeat(depth)}`,
    `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
    '1e999999',
    '"\\u0000"',
    '"\\ud800"',
    `"${'x'.repeat(1024 * 1024)}"`,
  ];
  for (const payload of payloads) assert.equal(typeof parseMessage(build(payload)).ok, 'boolean');
  assert.equal(parseMessage('['.repeat(depth)).ok, false);
});
