import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endOfRun, startAlertProgram } from '#test/support/alerts/alert-program.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { readMetrics } from '#test/support/product/operator-metrics.ts';

const { program, addRule, post, mailsTo } = await startAlertProgram();

test('the metrics count a webhook on its way: accepted, stored and pushed', async () => {
  const integration = await program.createIntegration();
  await addRule(integration, { channels: [{ type: 'email', to: ['ops@example.com'] }] });
  await post(integration, 'workflow_run', endOfRun(1, 'failure', 10));
  await waitUntil('the mail', () => mailsTo('ops@example.com').length === 1);
  const counted = async (): Promise<string[]> =>
    (await readMetrics(program.baseUrl))
      .split('\n')
      .filter((line) => /^forgewatch_(webhooks|events|alerts)_total\{.* [1-9]/.test(line))
      .sort();
  await waitUntil('what is counted after the mail was sent', async () => (await counted()).length === 3);
  assert.deepEqual(await counted(), [
    'forgewatch_alerts_total{outcome="sent"} 1',
    'forgewatch_events_total{outcome="stored"} 1',
    'forgewatch_webhooks_total{outcome="queued"} 1',
  ]);
});

test('metrics are named as Prometheus asks for: each described and typed, and no gauge counts with _total', async () => {
  const text = await readMetrics(program.baseUrl);
  const typeOf = new Map(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type]) => [name, type]),
  );
  const described = new Set([...text.matchAll(/^# HELP (\S+) \S/gm)].map(([, name]) => name));
  const samples = [...text.matchAll(/^(\w+)(?:\{| )/gm)].map(([, name = '']) =>
    typeOf.has(name) ? name : name.replace(/_(bucket|sum|count)$/, ''),
  );
  assert.ok(samples.length > 20);
  for (const name of samples) assert.ok(typeOf.has(name) && described.has(name), name);
  for (const [name, type] of typeOf)
    assert.equal(name.endsWith('_total'), type === 'counter', `${name} ${type}`);
});

test('background work is counted by kind', async () => {
  const text = await readMetrics(program.baseUrl);
  for (const name of ['waiting', 'oldest_seconds', 'failing'])
    assert.match(text, new RegExp(`^# TYPE forgewatch_tasks_${name} gauge$`, 'm'));
});
