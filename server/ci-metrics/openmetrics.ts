import { hiddenCharacters } from '#contract/base/plain-text.ts';
import { bucketBounds } from './buckets.ts';
import { labelName, prometheusName, unitOf } from './prometheus-names.ts';
import type { Attributes, HistogramValue, MetricFamily } from './read-ci-metrics.ts';

export const openMetricsType = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/**
 * Encodes metrics as OpenMetrics 1.0 (https://prometheus.io/docs/specs/om/open_metrics_spec/). Written by hand, because
 * prom-client counts itself and cannot be given the counts of a histogram.
 */
export function openMetrics(families: readonly MetricFamily[]): string {
  const lines: string[] = [];
  for (const { info, points } of families) {
    const name = prometheusName(info);
    const unit = unitOf(info);
    lines.push(`# TYPE ${name} ${info.kind}`);
    if (unit !== undefined) lines.push(`# UNIT ${name} ${unit}`);
    lines.push(`# HELP ${name} ${escaped(info.description)}`);
    for (const { attributes, value } of points) {
      if (typeof value !== 'number') lines.push(...histogramLines(name, attributes, value));
      else lines.push(sample(info.kind === 'counter' ? `${name}_total` : name, labelsOf(attributes), value));
    }
  }
  return `${lines.join('\n')}\n# EOF\n`;
}

function histogramLines(
  name: string,
  attributes: Attributes,
  { buckets, sumSeconds }: HistogramValue,
): string[] {
  const labels = labelsOf(attributes);
  let count = 0;
  const lines = buckets.map((number, index) => {
    const bound = bucketBounds[index];
    const le = `le="${bound === undefined ? '+Inf' : bound.toFixed(1)}"`;
    return sample(`${name}_bucket`, labels === '' ? le : `${labels},${le}`, (count += number));
  });
  return [...lines, sample(`${name}_count`, labels, count), sample(`${name}_sum`, labels, sumSeconds)];
}

function sample(name: string, labels: string, value: number): string {
  return `${name}${labels === '' ? '' : `{${labels}}`} ${value}`;
}

function labelsOf(attributes: Attributes): string {
  return Object.entries(attributes)
    .map(([attribute, value]) => `${labelName(attribute)}="${escaped(value)}"`)
    .join(',');
}

const hidden = new RegExp(`(?!\\n)[${hiddenCharacters}]|\\\\(?=u[0-9a-f]{4})`, 'g');

/**
 * Characters that terminals and editors obey are written as `\u001b`, so that nobody who reads the text is deceived. Two texts never
 * become one: a backslash that looks like the beginning of that is written so too.
 */
function escaped(text: string): string {
  return text
    .replace(hidden, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replaceAll(/[\\"\n]/g, (sign) => (sign === '\n' ? String.raw`\n` : `\\${sign}`));
}
