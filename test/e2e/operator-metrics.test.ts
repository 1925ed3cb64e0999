import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import packageJson from '../../package.json' with { type: 'json' };
import { endOfRun, startAlertProgram } from '#test/support/alerts/alert-program.ts';
import {
  assertImportable,
  legendLabels,
  queriesOf,
  readDashboard,
} from '#test/support/formats/grafana-dashboard.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { readMetrics } from '#test/support/product/operator-metrics.ts';

/** Series of the packaged Postgres, which this product does not use. */
const packaged = ['forgewatch_disk_free_bytes', 'forgewatch_disk_size_bytes'];
const familyOf = (name: string): string => name.replace(/_(bucket|sum|count)$/, '');

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

interface Listed {
  type: string;
  labels: string[];
}

/** The table of the guide. */
async function listedSeries(): Promise<Map<string, Listed>> {
  const guide = await readFile(path.join(import.meta.dirname, '../../docs/guide/monitoring.md'), 'utf8');
  const rows = [...guide.matchAll(/^\| `(forgewatch_\w+)` \| (\w+) \|([^|]*)\|/gm)];
  return new Map(
    rows.map(([, name = '', type = '', labels = '']) => [
      name,
      {
        type,
        labels: labels
          .split(',')
          .map((label) => label.trim())
          .filter(Boolean),
      },
    ]),
  );
}

test('the guide lists each series of the service, with its type and labels, and no other', async () => {
  const text = await readMetrics(program.baseUrl);
  const served = [...text.matchAll(/^# TYPE (forgewatch_\S+) (\S+)$/gm)].map(
    ([, name, type]) => `${name} ${type}`,
  );
  const listed = await listedSeries();
  assert.deepEqual(
    [...listed].map(([name, { type }]) => `${name} ${type}`).sort(),
    [...served, ...packaged.map((name) => `${name} gauge`)].sort(),
  );
  const samples = [...text.matchAll(/^(forgewatch_\w+)(?:\{(.*)\})? /gm)];
  assert.ok(samples.length > 40);
  for (const [, name = '', pairs = ''] of samples) {
    const labels = [...pairs.matchAll(/(\w+)="/g)].map(([, label]) => label);
    const { labels: documented } = listed.get(familyOf(name)) ?? assert.fail(name);
    assert.deepEqual(labels.filter((label) => label !== 'le').sort(), documented.toSorted(), name);
  }
});

test('the dashboard of the service shows every series, and only series and labels that are served', async () => {
  const dashboard = await readDashboard('forgewatch-service.json');
  assertImportable(dashboard);
  const used = queriesOf(dashboard);
  const text = await readMetrics(program.baseUrl);
  const listed = await listedSeries();
  const served = new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name));
  for (const { names, labelNames, expression } of used) {
    const families = names.map(familyOf);
    for (const name of families)
      assert.ok(served.has(name) || packaged.includes(name), `${name} in ${expression}`);
    const labels = families.flatMap((name) => listed.get(name)?.labels ?? []);
    for (const label of labelNames)
      assert.ok(['job', 'instance', 'le', ...labels].includes(label), `${label} in ${expression}`);
  }
  const grouped = new Set(used.flatMap(({ labelNames }) => labelNames));
  for (const label of legendLabels(dashboard)) assert.ok(grouped.has(label), label);
  const shown = new Set(used.flatMap(({ names }) => names.map(familyOf)));
  assert.deepEqual(
    [...listed.keys()].filter((name) => !shown.has(name)),
    [],
  );
});

test('the metrics count what integrations stored today by size, and tell the time of the newest backup', async () => {
  await program.database.asOwner('insert into last_backup (finished_at) values (to_timestamp(1800000000))');
  const read = () => readMetrics(program.baseUrl);
  await waitUntil('the bytes of the webhook', async () =>
    /^forgewatch_stored_today_bytes\{class="small"\} [1-9]/m.test(await read()),
  );
  const text = await read();
  assert.match(text, /^forgewatch_storing_integrations\{class="small"\} 1$/m);
  assert.match(text, /^forgewatch_storing_integrations\{class="large"\} 0$/m);
  assert.match(text, /^forgewatch_last_backup_timestamp_seconds 1800000000$/m);
});

test('answers are measured by class of route, and the version and the age of the queue are told', async () => {
  await fetch(`${program.baseUrl}/api/integrations`);
  const text = await readMetrics(program.baseUrl);
  assert.match(text, /^forgewatch_http_request_seconds_count\{class="webhook",status="2xx"\} [1-9]/m);
  assert.match(text, /^forgewatch_http_request_seconds_count\{class="api",status="4xx"\} [1-9]/m);
  assert.match(text, new RegExp(`^forgewatch_build_info\\{version="${packageJson.version}"\\} 1$`, 'm'));
  assert.match(text, /^forgewatch_queue_oldest_seconds \d/m);
  assert.match(text, /^forgewatch_database_connections\{role="api",state="(busy|idle)"\} [1-9]/m);
});

test('background work is counted by kind', async () => {
  const text = await readMetrics(program.baseUrl);
  for (const name of ['waiting', 'oldest_seconds', 'failing'])
    assert.match(text, new RegExp(`^# TYPE forgewatch_tasks_${name} gauge$`, 'm'));
});
