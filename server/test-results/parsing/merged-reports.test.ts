import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { zipOf } from '#server/simulate/sample-forge/sample-artifacts.ts';
import { passed, xml } from '#test/support/team/test-reports.ts';
import type { ReportedCase } from './case-collector.ts';
import { KnownResults } from './known-results.ts';
import { parseArtifact, RepeatedResults } from './parse-artifact.ts';

const file = (name: string, content: string | Buffer) => ({ name, content: Buffer.from(content) });

const readArtifact = (bytes: Uint8Array, known = new KnownResults(new Uint8Array())) =>
  parseArtifact(bytes, known);

/** The report of a tool, with times of real tests. */
const vector = (name: string): string => {
  let n = name.charCodeAt(0) * 10;
  return readFileSync(
    new URL(`../../../test/vectors/test-reports/${name}`, import.meta.url),
    'utf8',
  ).replaceAll(
    /(<testcase[^>]*\btime=")[\d.]+/g,
    (_, before: string) => `${before}${((n += 1) * 0.017).toFixed(3)}`,
  );
};
/** Tools that merge reports keep the cases and put the suites beside each other. */
const merged = (...reports: string[]): string =>
  `<?xml version="1.0"?><testsuites name="merged">${reports
    .map((report) => report.replace(/<\?xml[^>]*>/, '').replaceAll(/<\/?testsuites[^>]*>/g, ''))
    .join('')}</testsuites>`;
/** Another run of the same tests: each takes another time. */
const again = (report: string): string =>
  report.replaceAll(/\btime="([\d.]+)"/g, (_, time: string) => `time="${(Number(time) + 0.013).toFixed(3)}"`);

const times = (cases: readonly ReportedCase[]): string[] =>
  cases
    .map(({ className, name, durationMs, retries }) => JSON.stringify([className, name, durationMs, retries]))
    .toSorted();

for (const parts of [
  ['surefire.xml', 'phpunit.xml'],
  ['pytest.xml', 'node-test.xml'],
  ['jest.xml', 'vitest.xml', 'playwright.xml'],
  ['gotestsum.xml', 'surefire.xml'],
]) {
  const files = parts.map((name) => file(`parts/${name}`, vector(name)));
  const whole = file('all.xml', merged(...parts.map(vector)));

  test(`a report merged from ${parts.join(', ')} counts once beside them, in any order`, async () => {
    const alone = times((await readArtifact(zipOf(files))).report.cases);
    for (const order of [
      [whole, ...files],
      [...files, whole],
    ]) {
      const { report } = await readArtifact(zipOf(order));
      assert.deepEqual(times(report.cases), alone);
      assert.match(report.faults.join('\n'), /^all\.xml: All its results are in other files/m);
    }
  });

  test(`a report merged from ${parts.join(', ')} counts once beside their artifacts`, async () => {
    const known = new KnownResults(new Uint8Array());
    for (const part of files) await readArtifact(zipOf([part]), known);
    // Another turn may read the rest.
    const later = new KnownResults(known.toBytes());
    await assert.rejects(readArtifact(zipOf([whole]), later), RepeatedResults);
    await assert.rejects(readArtifact(zipOf(files), later), RepeatedResults);
    const rerun = zipOf([file('again.xml', merged(...parts.map(vector).map(again)))]);
    assert.ok((await readArtifact(rerun, later)).report.cases.length > 0);
  });
}

const folder = path.join(import.meta.dirname, '../../../test/vectors/merged-reports');
const recorded = readdirSync(folder).map((name) => file(name, readFileSync(path.join(folder, name))));
const isPart = (name: string): boolean => /-[ab12]\.\w+$/.test(name);

for (const whole of recorded.filter(({ name }) => !isPart(name)))
  test(`${whole.name}, which a tool merged, counts once beside its parts`, async () => {
    const tool = whole.name.split('-')[0]!;
    const parts = recorded.filter(({ name }) => isPart(name) && name.startsWith(tool));
    const { report } = await readArtifact(zipOf(parts));
    assert.ok(report.cases.length >= 28);
    for (const order of [
      [whole, ...parts],
      [...parts, whole],
    ]) {
      const together = (await readArtifact(zipOf(order))).report;
      assert.deepEqual(times(together.cases), times(report.cases));
      const known = new KnownResults(new Uint8Array());
      const counted: ReportedCase[] = [];
      for (const each of order)
        await readArtifact(zipOf([each]), known).then(
          (read) => counted.push(...read.report.cases),
          (error: unknown) => assert.ok(error instanceof RepeatedResults, String(error)),
        );
      assert.deepEqual(times(counted), times(report.cases));
    }
  });

test('an artifact with a file for each class counts once beside another one with the same files', async () => {
  const known = new KnownResults(new Uint8Array());
  const ofClass = (n: number) =>
    file(
      `TEST-${n}.xml`,
      `<testsuite><testcase classname="Shop${n}" name="adds" time="0.0${n + 10}"/></testsuite>`,
    );
  const classes = Array.from({ length: 12 }, (_, n) => ofClass(n));
  assert.equal((await readArtifact(zipOf(classes), known)).report.cases.length, 12);
  await assert.rejects(readArtifact(zipOf(classes), known), RepeatedResults);
  // A class that another leg tested in the same time is no copy.
  const leg = zipOf([...classes.slice(0, 11), file('TEST-11.xml', xml(passed('slower')))]);
  assert.equal((await readArtifact(leg, known)).report.cases.length, 12);
});

const fifty = (timeOf: (n: number) => string) => {
  const cases = Array.from({ length: 50 }, (_, n) => `<testcase name="test ${n}"${timeOf(n)}/>`);
  return zipOf([file('junit.xml', xml(...cases))]);
};

for (const [name, ...legs] of [
  ['without times', fifty(() => ''), fifty(() => '')],
  ['of tests that take no time', fifty(() => ' time="0"'), fifty(() => ' time="0"')],
  ['with few times', fifty((n) => ` time="${n % 10}"`), fifty((n) => ` time="${n % 10}"`)],
  ['that differ in one time', fifty((n) => ` time="${n}"`), fifty((n) => ` time="${n === 7 ? 0.2 : n}"`)],
] as const)
  test(`the results of two legs ${name} count twice`, async () => {
    const known = new KnownResults(new Uint8Array());
    for (const leg of legs) assert.equal((await readArtifact(leg, known)).report.cases.length, 50);
  });
