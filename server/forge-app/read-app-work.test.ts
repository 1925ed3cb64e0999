import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAppWork as read } from './read-app-work.ts';

const integrationId = '11111111-1111-4111-8111-111111111111';
const payload = { action: 'created', installation: { id: 77, account: { id: 1, login: 'acme' } } };
const event = { eventType: 'installation', deliveryId: 'd', receivedAt: '2026-11-22T00:00:00.000Z' };

test('a message changes only its own group, whatever it names', () => {
  const task = { taskType: 'org_member_sync', integrationId, installationId: '77' } as const;
  assert.ok(read(task, undefined, integrationId).ok);
  assert.deepEqual(read(task, undefined, '22222222-2222-4222-8222-222222222222'), {
    ok: false,
    reason: 'invalid_message',
    detail: 'integrationId does not match the group',
  });
  assert.ok(read({ ...event, installationId: '77' }, payload, 'forge-app:77').ok);
  assert.deepEqual(read({ ...event, installationId: '78' }, payload, 'forge-app:78'), {
    ok: false,
    reason: 'invalid_message',
    detail: 'the installation does not match the group',
  });
});
