import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DeliveryDetail } from '#contract/deliveries/deliveries.ts';
import {
  outcomesOf,
  postOneOfEach,
  startDeliveryReader,
} from '#test/support/data/reading/delivery-reader.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import { Compile } from 'typebox/compile';

const reader = await startDeliveryReader();
const { read, post, verdictOf } = reader;

test('a delivery shows headers, body and its way step by step', async () => {
  await postOneOfEach(reader);
  const detail = async (id: string) => {
    const answer = await read<DeliveryDetail>(`deliveries/${(await verdictOf(id))?.deliveryId}`);
    assert.ok(Compile(DeliveryDetail).Check(answer), id);
    return answer;
  };
  const run = await detail('run-done');
  assert.deepEqual(outcomesOf(run), [
    'received done',
    'verified done',
    'queued done',
    'stored done',
    'pushed done',
    'alerted skipped',
  ]);
  assert.match(run.body ?? '', /"display_title":"Secret plan"/);
  assert.equal(run.truncated, false);
  const headers = Object.fromEntries(run.headers.map(({ name, value }) => [name, value]));
  assert.equal(headers['x-github-event'], 'workflow_run');
  assert.equal(headers['content-type'], 'application/json');
  assert.ok(!Object.keys(headers).some((name) => name.includes('signature')));

  const late = await detail('run-late');
  assert.deepEqual(outcomesOf(late, 3), ['stored skipped', 'pushed skipped', 'alerted skipped']);
  assert.match(late.steps[3]?.detail ?? '', /completed/);
  const dead = await detail('broken');
  assert.deepEqual(outcomesOf(dead, 3), [
    'stored failed',
    'pushed skipped',
    'alerted skipped',
    'dead failed',
  ]);
  assert.match(dead.steps.at(-1)?.detail ?? '', /invalid_payload/);
  assert.deepEqual(outcomesOf(await detail('pull'), 3), ['stored done', 'pushed skipped', 'alerted skipped']);
});

test('a late event of an earlier attempt shows what it changed', async () => {
  const run = { id: 444, status: 'completed', conclusion: 'failure' };
  await post('workflow_run', runPayload({ ...run, run_attempt: 2 }), 'attempt-2');
  const item = await post('workflow_run', runPayload(run), 'attempt-1');
  assert.deepEqual([item.verdict, item.reason], ['stale', 'earlier_attempt_updated']);
  const detail = await read<DeliveryDetail>(`deliveries/${item.deliveryId}`);
  assert.deepEqual(outcomesOf(detail, 3), ['stored done', 'pushed skipped', 'alerted skipped']);
  assert.match(detail.steps[3]?.detail ?? '', /earlier attempt was updated/);
});

test('a body of more than 256 KiB is shown up to there as received, and no character is cut in two', async () => {
  const notes = 'ü'.repeat(200_000);
  const item = await post('workflow_run', { ...runPayload({ id: 445 }), notes }, 'long');
  const { body, size, truncated } = await read<DeliveryDetail>(`deliveries/${item.deliveryId}`);
  const sent = JSON.stringify({ ...runPayload({ id: 445 }), notes });
  assert.deepEqual([size, truncated], [Buffer.byteLength(sent), true]);
  assert.ok(sent.startsWith(body ?? '-') && Buffer.byteLength(body ?? '') > 256 * 1024 - 4);
});

test('a body that is too complex to be parsed is dead with a reason, and shown as received', async () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  const item = await post('workflow_run', deep, 'deep');
  assert.deepEqual([item.verdict, item.reason], ['dead', 'payload_too_complex']);
  const { body, size, truncated } = await read<DeliveryDetail>('deliveries/deep');
  assert.ok(body === deep && size === deep.length && !truncated);
});
