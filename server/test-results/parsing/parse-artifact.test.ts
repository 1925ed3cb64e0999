import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync, deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { zipOf } from '#server/simulate/sample-forge/sample-artifacts.ts';
import { failed, passed, xml } from '#test/support/team/test-reports.ts';
import { reportLimits, UnreadableReport } from './case-collector.ts';
import { KnownResults } from './known-results.ts';
import { parseArtifact } from './parse-artifact.ts';
import { ReportTooLarge } from './parse-report.ts';

const file = (name: string, content: string | Buffer) => ({ name, content: Buffer.from(content) });
const good = file('reports/a.xml', xml(passed('adds'), failed('removes')));

const readArtifact = (bytes: Uint8Array, known = new KnownResults(new Uint8Array())) =>
  parseArtifact(bytes, known);

/** A zip whose only file is compressed and grows to zeros. */
function bomb(name: string, unpacked: number, said = unpacked): Buffer {
  const packed = deflateRawSync(Buffer.alloc(unpacked, 32));
  const zip = zipOf([{ name, content: packed }]);
  const [local, central] = [0, zip.indexOf('PK\x01\x02', 0, 'latin1')];
  zip.writeUInt16LE(8, local + 8);
  zip.writeUInt16LE(8, central + 10);
  zip.writeUInt32LE(said, central + 24);
  return zip;
}

test('the reports of an artifact are read as one, without its other files', async () => {
  const zip = zipOf([
    good,
    file('reports/nested/b.XML', xml(passed('pays'), passed('adds'))),
    file('ctrf.json', '{"results":{"tests":[{"name":"from ctrf","status":"passed","duration":3}]}}'),
    file('package.json', '{"name":"shop"}'),
    file('screens/failure.png', 'no picture'),
    file('notes.txt', xml(failed('in a text'))),
  ]);
  const { report, size } = await readArtifact(zip);
  assert.deepEqual(report.cases.map(({ name, outcome }) => [name, outcome]).toSorted(), [
    ['adds', 'passed'],
    ['from ctrf', 'passed'],
    ['pays', 'passed'],
    ['removes', 'failed'],
  ]);
  assert.ok(size > 100 && size < zip.length);
});

test('an artifact of one file may come without an archive, gzipped or not', async () => {
  for (const bytes of [good.content, gzipSync(good.content)])
    assert.equal((await readArtifact(bytes)).report.cases.length, 2);
});

test('a fault of a report names its file', async () => {
  const { report } = await readArtifact(zipOf([good, file('cut.xml', '<testsuite><testcase name="a"/>')]));
  assert.match(report.faults.join('\n'), /^cut\.xml: /m);
  assert.equal(report.isWhole, false);
});

const big = reportLimits.unpackedBytes;

/** As many entries as wanted for one file, counted as Zip64 does. */
function many(count: number): Buffer {
  const zip = zipOf([file('a.txt', '')]);
  const central = zip.indexOf('PK\x01\x02', 0, 'latin1');
  const entry = zip.subarray(central, zip.length - 22);
  const end = Buffer.alloc(56);
  end.write('PK\x06\x06', 'latin1');
  end.writeBigUInt64LE(44n, 4);
  for (const at of [24, 32]) end.writeBigUInt64LE(BigInt(count), at);
  end.writeBigUInt64LE(BigInt(entry.length * count), 40);
  end.writeBigUInt64LE(BigInt(central), 48);
  const locator = Buffer.alloc(20);
  locator.write('PK\x06\x07', 'latin1');
  locator.writeBigUInt64LE(BigInt(central + entry.length * count), 8);
  locator.writeUInt32LE(1, 16);
  const oldEnd = Buffer.alloc(22, 0xff);
  oldEnd.write('PK\x05\x06', 'latin1');
  oldEnd.fill(0, 4, 8).fill(0, 20);
  const entries = Array.from({ length: count }, () => entry);
  return Buffer.concat([zip.subarray(0, central), ...entries, end, locator, oldEnd]);
}

for (const [name, zip, error] of [
  ['that grows beyond the limit', bomb('a.xml', big + 1), ReportTooLarge],
  ['of files that grow beyond the limit together', joined(40), ReportTooLarge],
  ['that lies about the size of a file', bomb('a.xml', big + 1, 100), UnreadableReport],
  ['whose file leaves it', zipOf([file('../../etc/a.xml', xml(passed('a')))]), UnreadableReport],
  ['whose file has an absolute path', zipOf([file('/etc/a.xml', xml(passed('a')))]), UnreadableReport],
  ['of 100000 files', many(100_000), ReportTooLarge],
  ['that ends early', zipOf([good]).subarray(0, 60), UnreadableReport],
  ['whose directory is elsewhere', shifted(), UnreadableReport],
  ['without a report', zipOf([file('a.xml', '<html/>'), file('b.json', '[]')]), UnreadableReport],
  ['without a file', zipOf([]), UnreadableReport],
  ['in an archive', zipOf([file('inner.zip', zipOf([good]))]), UnreadableReport],
  ['of gzipped files', zipOf([file('a.xml', gzipSync(Buffer.alloc(big)))]), UnreadableReport],
  ['that is encrypted', encrypted(), UnreadableReport],
  ['with a changed byte', changed(), UnreadableReport],
] as const)
  test(`an archive ${name} is refused as a whole`, async () => {
    const startedAt = performance.now();
    await assert.rejects(readArtifact(zip), error);
    assert.ok(performance.now() - startedAt < 5000);
  });

function joined(count: number): Buffer {
  const part = Buffer.alloc(1024 * 1024, xml(passed('adds')));
  return zipOf(Array.from({ length: count }, (_, n) => file(`${n}.xml`, part)));
}

function shifted(): Buffer {
  const zip = zipOf([good]);
  zip.writeUInt32LE(0xffff_fff0, zip.length - 6);
  return zip;
}

/** A test that failed has another name. */
function changed(): Buffer {
  const zip = zipOf([good]);
  zip.write('d', zip.indexOf('removes'), 'latin1');
  return zip;
}

function encrypted(): Buffer {
  const zip = zipOf([good]);
  const central = zip.indexOf('PK\x01\x02', 0, 'latin1');
  zip.writeUInt16LE(zip.readUInt16LE(central + 8) | 1, central + 8);
  return zip;
}

test('a hundred cut and changed archives are read or refused, and nothing else', async () => {
  const zip = zipOf([good, file('b.json', '{"results":{"tests":[]}}')]);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(zip.length - 1), fc.nat(255)), { maxLength: 8 }),
      fc.nat(zip.length),
      async (changes, length) => {
        const bytes = Buffer.from(zip.subarray(0, length === 0 ? zip.length : length));
        for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
        await readArtifact(bytes).catch((error: unknown) => {
          if (!(error instanceof UnreadableReport) && !(error instanceof ReportTooLarge)) throw error;
        });
      },
    ),
    { numRuns: 100 },
  );
});
