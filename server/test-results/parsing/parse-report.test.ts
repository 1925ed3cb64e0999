import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { reportLimits, secondsToMs, UnreadableReport, type ReportedCase } from './case-collector.ts';
import { parseReport, ReportTooLarge } from './parse-report.ts';

/** Printed by the tools themselves for the same small suite of a shopping cart. */
const folder = path.join(import.meta.dirname, '../../../test/vectors/test-reports');
const reports = readdirSync(folder).map((name) => ({ name, bytes: readFileSync(path.join(folder, name)) }));
const bytesOf = (name: string): Buffer => reports.find((each) => each.name === name)!.bytes;

/** A case that passes, one that fails with its message, one that is skipped, and a parameterised one that fails. */
const cases: Record<
  string,
  [passed: RegExp, failed: RegExp, message: RegExp, skipped: RegExp | null, parameter: RegExp | null]
> = {
  'bats.xml': [/sums the total/, /discount once/, /in test file cart\.bats/, /reserves stock/, null],
  'ctest.xml': [/^total/, /^discount_once/, /expected 90, got 81/, /^stock/, null],
  'go-test.json': [/TestTotal/, /TestDiscountOnce/, /expected 90, got 81/, /TestStock/, /TestPrice\/CHF/],
  'googletest.xml': [/Total/, /DiscountOnce/, /applied twice/, /DISABLED_Stock/, /In\/1/],
  'gotestsum.json': [/TestTotal/, /TestDiscountOnce/, /expected 90, got 81/, /TestStock/, /TestPrice\/CHF/],
  'gotestsum.xml': [/TestTotal/, /TestDiscountOnce/, /expected 90, got 81/, /TestStock/, /TestPrice\/CHF/],
  'jest-ctrf.json': [/sums the total/, /discount once/, /deep equality/, /reserves stock/, /has a price/],
  'jest.xml': [/sums the total/, /discount once/, /deep equality/, /reserves stock/, /has a price/],
  'minitest.xml': [/test_total/, /test_discount/, /applied twice/, /test_stock/, /price_in_CHF/],
  'mocha.xml': [/sums the total/, /discount once/, /deep-equal/, null, /price in CHF/],
  'node-test.xml': [/sums the total/, /discount once/, /deep-equal/, /reserves stock/, /price in CHF/],
  'phpunit.xml': [
    /testTotal/,
    /testDiscount/,
    /applied twice/,
    /testStock/,
    /testPrice with data set "franc"/,
  ],
  'playwright-ctrf.json': [
    /sums the total/,
    /discount once/,
    /deep equality/,
    /reserves stock/,
    /price in CHF/,
  ],
  'playwright.xml': [/sums the total/, /discount once/, /deep equality/, /reserves stock/, /price in CHF/],
  'pytest-reruns.xml': [
    /test_total/,
    /discount_applies_once/,
    /applied twice/,
    /test_stock/,
    /price_in\[CHF/,
  ],
  'pytest.xml': [/test_total/, /discount_applies_once/, /applied twice/, /test_stock/, /price_in\[CHF/],
  'surefire.xml': [/^total/, /^discountOnce/, /applied twice/, /^stock/, /price\(String\)\[2\]/],
  'unittest.xml': [
    /test_total/,
    /test_discount/,
    /applied twice/,
    /test_stock/,
    /test_prices \(currency='CHF'\)/,
  ],
  'vitest.xml': [/sums the total/, /discount once/, /deeply equal/, /reserves stock/, /has a price/],
};

test('there is an expectation for each recorded report', () => {
  assert.deepEqual(reports.map(({ name }) => name).sort(), Object.keys(cases).sort());
});

for (const [name, [passed, failed, message, skipped, parameter]] of Object.entries(cases))
  test(`a report like ${name} gives each test its outcome`, () => {
    const found = parseReport(bytesOf(name)).cases;
    const one = (pattern: RegExp): ReportedCase => {
      const matching = found.filter((each) => pattern.test(each.name));
      assert.equal(matching.length, 1, `${pattern}: ${matching.map((each) => each.name).join()}`);
      return matching[0]!;
    };
    assert.equal(one(passed).outcome, 'passed');
    assert.equal(one(failed).outcome, 'failed');
    assert.match(one(failed).message ?? '', message);
    assert.doesNotMatch(one(failed).message ?? '', /[^\P{Cc}\t\n]/u);
    if (skipped !== null) assert.equal(one(skipped).outcome, 'skipped');
    if (parameter !== null) assert.equal(one(parameter).outcome, 'failed');
  });

test('only retries that a report names make a test flaky', () => {
  const flaky = reports.flatMap(({ name, bytes }) =>
    parseReport(bytes).cases.some(({ outcome, retries }) => outcome === 'passed' && retries > 0)
      ? [name]
      : [],
  );
  assert.deepEqual(flaky, [
    'gotestsum.json',
    'jest-ctrf.json',
    'playwright-ctrf.json',
    'playwright.xml',
    'surefire.xml',
  ]);
  const twice = parseReport(bytesOf('pytest-reruns.xml'));
  assert.match(twice.faults.join(), /4 cases have the class and name of another one/);
});

test('a package of Go that does not compile is a failed case, and a test with subtests is not counted beside them', () => {
  const { cases: found } = parseReport(bytesOf('go-test.json'));
  assert.deepEqual(
    found
      .filter(({ name }) => name === '(package)' || name === 'TestPrice')
      .map((each) => [each.className, each.outcome]),
    [['example.com/shop/broken', 'failed']],
  );
  // As written before Go 1.20, where a package has no event of its start.
  const lines = bytesOf('go-test.json').toString().split('\n');
  const older = lines.filter((line) => !line.includes('"Action":"start"'));
  assert.ok(older.length < lines.length);
  assert.deepEqual(parseReport(Buffer.from(older.join('\n'))).cases, found);
});

test('a report is read gzipped, in UTF-16, in ISO-8859-1 and with control characters', () => {
  const xml =
    '<testsuite name="s"><testcase name="prüft \u001b[31mrot\u0000" time="1,5"><failure message="a&#16;b">x\u0010y</failure></testcase></testsuite>';
  const latin = `<?xml version="1.0" encoding="ISO-8859-1"?>${xml}`;
  const readings = [
    gzipSync(xml),
    Buffer.from(`\ufeff${xml}`, 'utf16le'),
    Buffer.from(xml, 'utf16le').swap16(),
    Buffer.from(latin, 'latin1'),
  ].map((bytes) => parseReport(bytes).cases);
  for (const [found] of readings) {
    assert.equal(found?.name, 'prüft rot');
    assert.deepEqual([found?.message, found?.trace, found?.durationMs], ['ab', 'xy', 1500]);
  }
});

test('durations are read as tools write them', () => {
  const read = ['1.5', '1,024.12', '0,160', '1e-3', '1,024,000', 'NaN', 'N/A', '-1', '', '1.2.3', '9e99'].map(
    (text) => secondsToMs(text),
  );
  assert.deepEqual(read, [1500, 1_024_120, 160, 1, null, null, null, null, null, null, null]);
});

test('bytes that are no report are refused with a reason', () => {
  for (const text of [
    '',
    ' ',
    'hello',
    '<html></html>',
    '{"results":{}}',
    '{"results":',
    '{',
    '[1]',
    '{"Action":"x"}',
  ])
    assert.throws(() => parseReport(Buffer.from(text)), UnreadableReport, text);
  assert.throws(() => parseReport(Buffer.from([0x1f, 0x8b, 8, 0, 1])), UnreadableReport);
});

const parse = (text: string) => parseReport(Buffer.from(text));

test('words that objects know by themselves are no results', () => {
  for (const word of ['constructor', 'toString', '__proto__', 'valueOf']) {
    const report = parse(
      `{"results":{"tests":[{"name":"a","status":"${word}"},{"name":"b","status":"passed"}]}}`,
    );
    assert.deepEqual(
      report.cases.map(({ name }) => name),
      ['b'],
    );
    const event = (test: string, action: string) => `{"Action":"${action}","Package":"p","Test":"${test}"}`;
    const events = parse([event('A', word), event('B', 'pass')].join('\n'));
    assert.deepEqual(
      events.cases.map(({ name }) => name),
      ['B'],
    );
  }
});

test('values of wrong types in CTRF are left out, and numbers fit their columns', () => {
  const ctrf = (...tests: string[]) => parse(`{"results":{"tests":[${tests.join()}]}}`).cases;
  const deep = '['.repeat(200_000) + ']'.repeat(200_000);
  const suites = ['{"toString":1,"valueOf":1}', deep, '["cart",5,null,["x"],"pays"]', '7', '{}'];
  assert.deepEqual(
    ctrf(
      ...suites.map(
        (suite, n) => `{"name":"${n}","status":"passed","suite":${n < 2 ? `[${suite}]` : suite}}`,
      ),
    ).map(({ className }) => className),
    ['', '', 'cart > pays', '', ''],
  );
  assert.deepEqual(
    ctrf(
      '{"name":"a","status":"passed","flaky":true,"retries":2147483648}',
      '{"name":"b","status":"failed","retries":9e15,"duration":1e300}',
      '{"name":"c","status":"passed","retries":-5,"duration":-1}',
    ).map(({ retries, durationMs }) => [retries, durationMs]),
    [
      [reportLimits.retries, null],
      [reportLimits.retries, null],
      [0, null],
    ],
  );
});

test('cases with one name last no longer than one case may', () => {
  const week = '<testcase name="long" time="604800"><failure/></testcase>';
  const [long] = parse(`<testsuite>${week.repeat(4)}</testsuite>`).cases;
  assert.equal(long?.durationMs, reportLimits.durationMs);
});

test('entities that a report declares are not expanded', () => {
  const names = Array.from({ length: 40 }, (_, n) => `<!ENTITY e${n + 1} "&e${n};&e${n};">`).join('');
  const file = '<!ENTITY f SYSTEM "file:///etc/passwd">';
  const { cases } = parse(
    `<!DOCTYPE x [<!ENTITY e0 "ha">${names}${file}]><testsuite><testcase name="&e40;"><failure>&f;</failure></testcase></testsuite>`,
  );
  assert.deepEqual(
    cases.map(({ name, trace }) => [name, trace]),
    [['&e40;', '&f;']],
  );
});

test('a report that unpacks to more than the limit is refused', () => {
  const bomb = gzipSync(Buffer.alloc(reportLimits.unpackedBytes + 1, 32));
  assert.ok(bomb.length < 100_000);
  assert.throws(() => parseReport(bomb), ReportTooLarge);
});

test('a report is bounded in cases, depth and text', () => {
  const deep = parseReport(Buffer.from(`<testsuite>${'<a>'.repeat(100_000)}`));
  assert.match(deep.faults.join(), /nested deeper/);
  const many = parseReport(
    Buffer.from(
      `<testsuite>${Array.from({ length: reportLimits.cases + 5 }, (_, n) => `<testcase name="${n}"/>`).join('')}</testsuite>`,
    ),
  );
  assert.equal(many.cases.length, reportLimits.cases);
  assert.match(many.faults.join(), /5 cases left out/);
  const event = (n: number, action: string) => `{"Action":"${action}","Package":"p","Test":"T${n}"}\n`;
  const events = Array.from({ length: reportLimits.cases + 4 }, (_, n) => event(n, 'pass'));
  // The result of a test that was running.
  const go = parse(`${event(7, 'run')}${events.join('')}${event(7, 'fail')}`);
  assert.equal(go.cases.length, reportLimits.cases);
  assert.equal(go.cases.find(({ name }) => name === 'T7')?.outcome, 'failed');
  assert.match(go.faults.join(), /^4 cases left out/);
  const long = 'x'.repeat(100_000);
  const [one] = parseReport(
    Buffer.from(
      `<testsuite><testcase name="${long}"><failure message="${long}">${long}</failure></testcase></testsuite>`,
    ),
  ).cases;
  assert.deepEqual([one?.name.length, one?.message?.length, one?.trace?.length], [512, 4096, 16_384]);
});

test('a report that ends anywhere tells nothing else about the tests before its end', () => {
  const wholes = new Map(
    reports.map(({ name, bytes }) => [
      name,
      new Map(parseReport(bytes).cases.map((each) => [`${each.className}\n${each.name}`, each])),
    ]),
  );
  fc.assert(
    fc.property(fc.constantFrom(...reports), fc.nat(), ({ name, bytes }, at) => {
      const cut = bytes.subarray(0, at % bytes.length);
      let found: ReportedCase[];
      try {
        found = parseReport(cut).cases;
      } catch (error) {
        assert.ok(error instanceof UnreadableReport, String(error));
        return;
      }
      for (const { className, name: caseName, outcome } of found) {
        const whole = wholes.get(name)?.get(`${className}\n${caseName}`);
        // An element that is cut inside its name is left out by the parser. Attempts after the end may have failed.
        assert.ok(whole !== undefined, `${name}: ${caseName}`);
        if (outcome === 'failed' && name !== 'gotestsum.json')
          assert.equal(whole.outcome, 'failed', `${name}: ${caseName}`);
      }
    }),
    { numRuns: 400 },
  );
});

test('changed bytes are read or refused, never anything else', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...reports),
      fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 30 }),
      ({ bytes }, changes) => {
        const changed = Buffer.from(bytes);
        for (const [at, value] of changes) changed[at % changed.length] = value;
        try {
          for (const { name, className, outcome } of parseReport(changed).cases) {
            assert.ok(name !== '' && name.length <= 512 && className.isWellFormed() && name.isWellFormed());
            assert.ok(['passed', 'failed', 'skipped'].includes(outcome));
          }
        } catch (error) {
          if (!(error instanceof UnreadableReport)) throw error;
        }
      },
    ),
    { numRuns: 400 },
  );
});
