import assert from 'node:assert/strict';

export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export interface Family {
  name: string;
  type: string;
  unit: string | undefined;
  help: string;
  samples: Sample[];
}

const suffixes: Record<string, string[]> = {
  counter: ['_total'],
  gauge: [''],
  histogram: ['_bucket', '_count', '_sum'],
};
const labelName = '[a-zA-Z_][a-zA-Z0-9_]*';
const label = String.raw`(${labelName})="((?:[^"\\\n]|\\[\\n"])*)"`;
const sampleLine = new RegExp(
  String.raw`^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(${label}(?:,${label})*)?\})? (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$`,
);

/**
 * A strict reader of OpenMetrics 1.0 text, after the ABNF and the rules of the specification. Written here, because no package of
 * npm reads OpenMetrics.
 * @throws AssertionError for a text that breaks a rule
 */
export function readOpenMetrics(text: string): Family[] {
  assert.ok(text.endsWith('# EOF\n'), 'ends with EOF and a line feed');
  const lines = text.split('\n').slice(0, -2);
  const families: Family[] = [];
  for (const line of lines) {
    assert.notEqual(line, '# EOF', 'EOF is the last line');
    const [, keyword, name = '', rest = ''] = /^# (TYPE|UNIT|HELP) (\S+) (.*)$/s.exec(line) ?? [];
    if (keyword === 'TYPE') families.push({ name, type: rest, unit: undefined, help: '', samples: [] });
    const family = families.at(-1);
    assert.ok(family !== undefined, line);
    if (keyword === undefined) family.samples.push(readSample(line));
    else assert.equal(name, family.name, 'metadata stand before the samples of their family');
    assert.ok(keyword === undefined || family.samples.length === 0, line);
    if (keyword === 'UNIT') family.unit = rest;
    if (keyword === 'HELP') family.help = rest;
  }
  assert.equal(new Set(families.map(({ name }) => name)).size, families.length, 'each family once');
  for (const family of families) checkFamily(family);
  return families;
}

function readSample(line: string): Sample {
  const [, name = '', labels = '', ...rest] = sampleLine.exec(line) ?? [];
  assert.notEqual(name, '', `not a sample: ${line}`);
  const pairs = [...labels.matchAll(new RegExp(label, 'g'))].map(
    ([, key = '', value = '']) => [key, value] as const,
  );
  assert.equal(new Set(pairs.map(([key]) => key)).size, pairs.length, `a label twice: ${line}`);
  const unescape = (value: string): string =>
    value.replaceAll(/\\(.)/g, (_, sign: string) => (sign === 'n' ? '\n' : sign));
  const entries = pairs.map(([key, value]) => [key, unescape(value)] as const);
  return { name, labels: Object.fromEntries(entries), value: Number(rest.at(-1)) };
}

function checkFamily({ name, type, unit, samples }: Family): void {
  if (unit !== undefined) assert.ok(name.endsWith(`_${unit}`), `${name} ends in its unit`);
  const allowed = (suffixes[type] ?? []).map((suffix) => name + suffix);
  const keys = samples.map(({ name: own, labels }) => {
    assert.ok(allowed.includes(own), `${own} is a sample of the ${type} ${name}`);
    return `${own} ${JSON.stringify(Object.entries(labels).toSorted())}`;
  });
  assert.equal(new Set(keys).size, keys.length, `${name} has each series once`);
  if (type !== 'gauge') assert.ok(samples.every(({ value }) => value >= 0));
  if (type === 'histogram') checkHistogram(name, samples);
}

function checkHistogram(name: string, samples: readonly Sample[]): void {
  const points = Map.groupBy(samples, ({ labels }) => JSON.stringify({ ...labels, le: '' }));
  for (const point of points.values()) {
    const buckets = point.filter((one) => one.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels: { le = '' } }) => (le === '+Inf' ? Infinity : Number(le)));
    assert.equal(bounds.at(-1), Infinity);
    assert.ok(bounds.every((bound, index) => index === 0 || bound > bounds[index - 1]!));
    const counts = buckets.map(({ value }) => value);
    assert.ok(counts.every((count, index) => index === 0 || count >= counts[index - 1]!));
    assert.equal(point.find((one) => one.name === `${name}_count`)?.value, counts.at(-1));
    // All of a point stand together.
    const at = point.map((one) => samples.indexOf(one));
    assert.equal(at.at(-1)! - at[0]!, at.length - 1);
  }
}
