import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readWebhookLogSearch } from './log-search.ts';

test('an address keeps a known status, event and webhook id, and drops everything else', () => {
  const open = '0191d1f0-7a3c-7c3e-9a40-3f1b8a2c4d5e';
  assert.deepEqual(readWebhookLogSearch({ status: 'failed', open }), { status: 'failed', open });
  assert.deepEqual(readWebhookLogSearch({ type: 'member.added' }), { type: 'member.added' });
  assert.deepEqual(
    readWebhookLogSearch({ status: 'toString', type: 'run.started', open: `${open}/replay`, other: 1 }),
    {},
  );
});
