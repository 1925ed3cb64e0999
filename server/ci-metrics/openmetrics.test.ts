import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { hasHiddenCharacters } from '#contract/base/plain-text.ts';
import { readOpenMetrics } from '#test/support/formats/open-metrics.ts';
import { bucketCount } from './buckets.ts';
import { openMetrics } from './openmetrics.ts';
import { labelName, prometheusName } from './prometheus-names.ts';
import type { MetricFamily } from './read-ci-metrics.ts';
import { attributeNames, ciMetrics, repositoryAttributes } from './semantic-names.ts';

test('names follow the translation from OpenTelemetry to Prometheus', () => {
  assert.deepEqual(Object.values(ciMetrics).map(prometheusName), [
    'forgewatch_pipeline_runs',
    'cicd_pipeline_run_duration_seconds',
    'cicd_pipeline_run_active',
    'forgewatch_pipeline_task_queue_duration_seconds',
    'forgewatch_pipeline_task_active',
    'forgewatch_tests',
  ]);
  assert.equal(labelName('vcs.repository.name'), 'vcs_repository_name');
  assert.equal(labelName('a..b-c'), 'a_b_c');
});

/** Texts as Postgres can store them: any characters, with many of those that formats use. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '"',
        '\\',
        '\n',
        '\r',
        '{',
        '}',
        ',',
        '=',
        '#',
        ' ',
        '\\n',
        '# EOF\n',
        '\u2028',
        '\u001b[31m',
        '\u0007',
        '\u202e',
        '\\u001b',
        'le="1"',
        '/',
      ),
      fc.string({ unit: 'binary', maxLength: 3 }),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join('').toWellFormed().replaceAll('\0', ''));

test('a reader gets every name back, whatever characters it contains', () => {
  const names = fc.uniqueArray(fc.tuple(hostile, hostile), {
    minLength: 1,
    maxLength: 5,
    selector: (pair) => JSON.stringify(pair),
  });
  fc.assert(
    fc.property(
      names,
      fc.array(fc.nat(1000), { minLength: bucketCount, maxLength: bucketCount }),
      (pairs, buckets) => {
        const attributes = pairs.map(([repository, workflow]) => ({
          ...repositoryAttributes(repository),
          [attributeNames.pipelineName]: workflow,
        }));
        const value = { buckets, sumSeconds: 12.5 };
        const families: MetricFamily[] = [
          {
            info: ciMetrics.runs,
            points: attributes.map((each, index) => ({ attributes: each, value: index })),
          },
          { info: ciMetrics.runDuration, points: attributes.map((each) => ({ attributes: each, value })) },
          { info: ciMetrics.activeRuns, points: [] },
        ];
        const text = openMetrics(families);
        assert.equal(hasHiddenCharacters(text.replaceAll('\n', '')), false);
        const [runs, durations, active] = readOpenMetrics(text);
        assert.deepEqual(
          runs?.samples.map(({ labels, value: index }) => [
            shown(nameOf(labels)),
            shown(labels['cicd_pipeline_name']),
            index,
          ]),
          pairs.map(([repository, workflow], index) => [repository, workflow, index]),
        );
        const total = buckets.reduce((sum, count) => sum + count, 0);
        assert.deepEqual(
          durations?.samples.filter(({ name }) => name.endsWith('_count')).map((sample) => sample.value),
          pairs.map(() => total),
        );
        assert.deepEqual(active?.samples, []);
      },
    ),
  );
});

/** The text of which hidden characters were escaped. */
const shown = (label = ''): string =>
  label.replaceAll(/\\u([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** The repository that two labels name. */
function nameOf({
  vcs_owner_name: owner = '',
  vcs_repository_name: name = '',
}: Record<string, string>): string {
  return owner === '' ? name : `${owner}/${name}`;
}

test('no two repositories have the same labels', () => {
  for (const [one, two] of [
    ['/site', 'site'],
    ['acme/site', 'acme//site'],
    ['a/b/c', 'a/b'],
  ] as const)
    assert.notDeepEqual(repositoryAttributes(one), repositoryAttributes(two));
});

const promtool = process.env['PROMTOOL'] ?? 'promtool';

test('promtool reads the format where it is installed', (context) => {
  if (spawnSync(promtool, ['--version']).error !== undefined)
    return context.skip('promtool is not installed');
  const text = openMetrics([
    { info: ciMetrics.activeRuns, points: [{ attributes: repositoryAttributes('a"\\\n/b'), value: 1 }] },
  ]);
  const { status, stderr } = spawnSync(promtool, ['check', 'metrics'], { input: text, encoding: 'utf8' });
  // 3 reports matters of style. promtool does not know the suffix of counters in OpenMetrics.
  assert.ok(status === 0 || status === 3, stderr);
});

const python = process.env['PYTHON'] ?? 'python3';
const readInPython = `import json, sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as families
text = sys.stdin.buffer.read().decode()
json.dump([[s.name, s.labels, s.value] for family in families(text) for s in family.samples], sys.stdout)`;

test('the reference parser of OpenMetrics, prometheus_client for Python, reads the same where it is installed', (context) => {
  if (spawnSync(python, ['-c', 'import prometheus_client.openmetrics']).status !== 0)
    return context.skip('prometheus_client is not installed');
  const attributes = {
    ...repositoryAttributes('acme/site'),
    [attributeNames.pipelineName]: 'a "b" \\ \n # EOF {le="1"}, é\u2028',
  };
  const buckets = Array.from({ length: bucketCount }, (_, index) => index);
  const input = openMetrics([
    { info: ciMetrics.runs, points: [{ attributes, value: 7 }] },
    { info: ciMetrics.runDuration, points: [{ attributes, value: { buckets, sumSeconds: 12.5 } }] },
    { info: ciMetrics.activeRuns, points: [{ attributes, value: 0 }] },
    { info: ciMetrics.activeJobs, points: [] },
  ]);
  const { stdout, stderr } = spawnSync(python, ['-c', readInPython], { input, encoding: 'utf8' });
  assert.equal(stderr, '');
  const own = readOpenMetrics(input).flatMap(({ samples }) => samples);
  assert.deepEqual(
    JSON.parse(stdout),
    own.map(({ name, labels, value }) => [name, labels, value]),
  );
});
