import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { greenBuild, jobOf, runOf } from '#test/support/data/completions.ts';
import { integrationId } from '#test/support/data/forge-events.ts';
import { createMonitoringStore } from '#test/support/data/reading/monitoring-store.ts';
import { insertManyTestResults } from '#test/support/database/test-results.ts';
import {
  assertImportable,
  legendLabels,
  queriesOf,
  readDashboard,
} from '#test/support/formats/grafana-dashboard.ts';
import { readOpenMetrics } from '#test/support/formats/open-metrics.ts';
import { openMetrics } from './openmetrics.ts';
import { readCiMetrics } from './read-ci-metrics.ts';

const dashboard = await readDashboard('forgewatch-ci.json');
const { database, record } = await createMonitoringStore();

test('the dashboard has what the import of Grafana needs, and no panel covers another', () => {
  assertImportable(dashboard);
});

test('the guide scrapes the endpoint with a token from a file', async () => {
  const guide = await readFile(path.join(import.meta.dirname, '../../docs/guide/prometheus.md'), 'utf8');
  const [, example = ''] = /```yaml\n([^]*?)```/.exec(guide) ?? [];
  const { scrape_configs: jobs } = parse(example) as { scrape_configs: Record<string, unknown>[] };
  assert.deepEqual(
    jobs.map(({ metrics_path: target, authorization }) => [target, authorization]),
    [
      [
        '/api/integrations/INTEGRATION/metrics.txt',
        { type: 'Bearer', credentials_file: '/etc/prometheus/forgewatch-token' },
      ],
    ],
  );
});

test('each expression is valid PromQL over series and labels that the endpoint exports', async () => {
  await record(runOf(greenBuild), jobOf(greenBuild));
  await insertManyTestResults(database, integrationId);
  const text = await database.api.withScope({ integrationId }, async (tx) =>
    openMetrics(await readCiMetrics(tx, integrationId)),
  );
  const samples = readOpenMetrics(text).flatMap((family) => family.samples);
  const series = new Set(samples.map(({ name }) => name));
  const labels = new Set(samples.flatMap((sample) => Object.keys(sample.labels)));
  const used = queriesOf(dashboard);
  for (const { names, labelNames, expression } of used) {
    assert.ok(names.length > 0, expression);
    for (const name of names) assert.ok(series.has(name), `${name} in ${expression}`);
    for (const label of labelNames) assert.ok(labels.has(label), `${label} in ${expression}`);
  }
  const named = new Set(used.flatMap(({ names }) => names));
  assert.deepEqual(
    [...series].filter((name) => !named.has(name) && !name.includes('_queue_duration_')),
    [],
  );
  for (const label of legendLabels(dashboard)) assert.ok(labels.has(label), label);
});
