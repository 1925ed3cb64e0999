import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { parser } from '@prometheus-io/lezer-promql';
import { greenBuild, jobOf, runOf } from '#test/support/data/completions.ts';
import { integrationId } from '#test/support/data/forge-events.ts';
import { createMonitoringStore } from '#test/support/data/reading/monitoring-store.ts';
import { readOpenMetrics } from '#test/support/formats/open-metrics.ts';
import { openMetrics } from './openmetrics.ts';
import { readCiMetrics } from './read-ci-metrics.ts';

interface Panel {
  id: number;
  type: string;
  title: string;
  datasource: { type: string; uid: string };
  gridPos: { x: number; y: number; w: number; h: number };
  targets: { refId: string; expr: string; legendFormat: string; datasource: { type: string; uid: string } }[];
}

interface Variable {
  type: string;
  name: string;
  query: string | { query: string };
  definition?: string;
}

interface Dashboard {
  id: null;
  uid: string;
  title: string;
  schemaVersion: number;
  version: number;
  time: { from: string; to: string };
  panels: Panel[];
  templating: { list: Variable[] };
}

const file = path.join(import.meta.dirname, '../../deploy/grafana/forgewatch-ci.json');
const dashboard = JSON.parse(await readFile(file, 'utf8')) as Dashboard;
const variables = dashboard.templating.list;
const { database, record } = await createMonitoringStore();

test('the dashboard has what the import of Grafana needs', () => {
  const { id, uid, title, schemaVersion, version, time, panels } = dashboard;
  assert.equal(id, null);
  assert.match(uid, /^[a-zA-Z0-9_-]{1,40}$/);
  assert.ok(title.length > 0 && schemaVersion >= 36 && version >= 1);
  assert.deepEqual(Object.keys(time), ['from', 'to']);
  assert.equal(new Set(panels.map((panel) => panel.id)).size, panels.length);
  const [first] = variables;
  assert.deepEqual([first?.type, first?.name, first?.query], ['datasource', 'datasource', 'prometheus']);
  for (const panel of panels) {
    assert.ok(panel.title !== '' && panel.type !== '');
    assert.deepEqual(panel.datasource, { type: 'prometheus', uid: '${datasource}' }, panel.title);
    for (const target of panel.targets) assert.deepEqual(target.datasource, panel.datasource, panel.title);
    const refs = panel.targets.map(({ refId }) => refId);
    assert.equal(new Set(refs).size, refs.length, panel.title);
    const { x, w, h } = panel.gridPos;
    assert.ok(x >= 0 && w > 0 && h > 0 && x + w <= 24, panel.title);
  }
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

test('no panel covers another', () => {
  const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`),
  );
  assert.equal(new Set(cells).size, cells.length);
});

test('each expression is valid PromQL over series and labels that the endpoint exports', async () => {
  await record(runOf(greenBuild), jobOf(greenBuild));
  const text = await database.api.withScope({ integrationId }, async (tx) =>
    openMetrics(await readCiMetrics(tx, integrationId)),
  );
  const samples = readOpenMetrics(text).flatMap((family) => family.samples);
  const series = new Set(samples.map(({ name }) => name));
  const labels = new Set(samples.flatMap((sample) => Object.keys(sample.labels)));
  const expressions = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  const used = [...expressions, ...variables.flatMap(selectorOf)].map(readNames);
  assert.ok(expressions.length >= dashboard.panels.length);
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
  for (const { targets } of dashboard.panels)
    for (const [, label = ''] of targets.flatMap((target) => [...target.legendFormat.matchAll(/{{(\w+)}}/g)]))
      assert.ok(labels.has(label), label);
});

/** `label_values(SELECTOR, LABEL)` as a query that names both. */
function selectorOf({ type, definition = '' }: Variable): string[] {
  if (type !== 'query') return [];
  const [, selector, label] = /^label_values\((.+), (\w+)\)$/.exec(definition) ?? [];
  assert.ok(selector !== undefined, definition);
  return [`sum by (${label}) (${selector})`];
}

/** The names in an expression. Grafana replaces its variables before Prometheus reads them. */
function readNames(expression: string): { expression: string; names: string[]; labelNames: string[] } {
  const replaced = expression
    .replaceAll(/\$__(range|rate_interval)\b/g, '5m')
    .replaceAll(/\$(\w+)/g, (_, name) => {
      assert.ok(
        variables.some((variable) => variable.name === name),
        `the variable ${name} of ${expression}`,
      );
      return '.*';
    });
  const names: string[] = [];
  const labelNames: string[] = [];
  parser.parse(replaced).iterate({
    enter: ({ name, from, to, type }) => {
      assert.ok(!type.isError, `${expression} at ${from}`);
      if (name === 'VectorSelector') names.push(/^[\w:]+/.exec(replaced.slice(from, to))?.[0] ?? '');
      if (name === 'LabelName') labelNames.push(replaced.slice(from, to));
    },
  });
  return { expression, names, labelNames };
}
