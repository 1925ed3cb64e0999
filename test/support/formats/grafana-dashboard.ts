import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';

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

export interface Dashboard {
  id: null;
  uid: string;
  title: string;
  schemaVersion: number;
  version: number;
  time: { from: string; to: string };
  panels: Panel[];
  templating: { list: Variable[] };
}

/** What a query of the dashboard reads. */
export interface DashboardQuery {
  expression: string;
  names: string[];
  labelNames: string[];
}

/** A file of `deploy/grafana`. */
export async function readDashboard(name: string): Promise<Dashboard> {
  const file = path.join(import.meta.dirname, '../../../deploy/grafana', name);
  return JSON.parse(await readFile(file, 'utf8')) as Dashboard;
}

/** Checks what the import of Grafana needs, and that no panel covers another. */
export function assertImportable(dashboard: Dashboard): void {
  const { id, uid, title, schemaVersion, version, time, panels } = dashboard;
  assert.equal(id, null);
  assert.match(uid, /^[a-zA-Z0-9_-]{1,40}$/);
  assert.ok(title.length > 0 && schemaVersion >= 36 && version >= 1);
  assert.deepEqual(Object.keys(time), ['from', 'to']);
  assert.equal(new Set(panels.map((panel) => panel.id)).size, panels.length);
  const [first] = dashboard.templating.list;
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
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`),
  );
  assert.equal(new Set(cells).size, cells.length);
}

/** The queries of panels and variables, each checked to be valid PromQL. Every panel has at least one. */
export function queriesOf({ panels, templating }: Dashboard): DashboardQuery[] {
  const variables = templating.list;
  const names = new Set(variables.map(({ name }) => name));
  for (const { targets, title } of panels) assert.ok(targets.length > 0, title);
  const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  return [...expressions, ...variables.flatMap(selectorOf)].map((expression) => readNames(expression, names));
}

/** The labels that legends name. */
export function legendLabels({ panels }: Dashboard): string[] {
  const legends = panels.flatMap(({ targets }) => targets.map(({ legendFormat }) => legendFormat));
  return legends.flatMap((legend) => [...legend.matchAll(/{{(\w+)}}/g)].map(([, label = '']) => label));
}

/** `label_values(SELECTOR, LABEL)` as a query that names both. */
function selectorOf({ type, definition = '' }: Variable): string[] {
  if (type !== 'query') return [];
  const [, selector, label] = /^label_values\((.+), (\w+)\)$/.exec(definition) ?? [];
  assert.ok(selector !== undefined, definition);
  return [`sum by (${label}) (${selector})`];
}

/** The names in an expression. Grafana replaces its variables before Prometheus reads them. */
function readNames(expression: string, variables: ReadonlySet<string>): DashboardQuery {
  const replaced = expression
    .replaceAll(/\$__(range|rate_interval)\b/g, '5m')
    .replaceAll(/\$(\w+)/g, (_, name: string) => {
      assert.ok(variables.has(name), `the variable ${name} of ${expression}`);
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
