import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Value } from 'typebox/value';
import { FailureReason } from '#contract/failures/failure-reason.ts';
import { cpuMs } from '#test/support/waiting/loop-watch.ts';
import { watchTurns } from '#test/support/waiting/short-turns.ts';
import { readFailureLog } from './read-failure-log.ts';

const mebibyte = 1024 * 1024;
const empty = { steps: [], annotations: [] };
const staysShort = watchTurns();

async function* repeat(part: string | Uint8Array, bytes: number, end = ''): AsyncGenerator<Uint8Array> {
  const unit = Buffer.from(part);
  const chunk = Buffer.alloc(Math.ceil(mebibyte / unit.length) * unit.length, unit);
  for (let sent = 0; sent < bytes; sent += chunk.length) yield chunk;
  yield Buffer.from(end);
}

async function* cut(...chunks: string[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk);
  throw new Error('connection reset');
}

const error = '\n##[error]Tests of the parser fail\n##[error]Process completed with exit code 1.\n';
const time = '2026-11-20T10:00:01.1234567Z ';

/** What a log repeats. */
const floods: Record<string, string | Uint8Array> = {
  lines: `${time}compiled src/module.ts in 12 ms\n`,
  'empty lines': '\n',
  'error lines': `${time}##[error]expected 17 to be 18 in src/module.ts, password=hunter2\n`,
  'no line break': 'x',
  'carriage returns': '10 %\r',
  'escape sequences': '\u001b[31m',
  'escape sequences in lines': `${time}error: ${'\u001b[31mx'.repeat(2_000)}\n`,
  'open escape sequences': `\u001b[${'0;'.repeat(5_000)}\u001b]${'y'.repeat(5_000)}\u001bP${'z'.repeat(5_000)}\n`,
  'invalid UTF-8': Uint8Array.from([0xff, 0xc0, 0x80, 0xed, 0xa0, 0x80, 0xf8, 0x0a]),
  groups: `${time}##[group]Run x\n${time}##[error]y\n`,
  'words of secrets': `error: ${'password token secret_ '.repeat(700)}\n`,
  'starts of secrets': `error: ${'eyJghp_sk-AKIA://:@-----BEGIN '.repeat(500)}\n`,
  'starts of commands with a password': `error: ${'mysql redis-cli -a curl -u a ://a: '.repeat(500)}\n`,
  'repeated parts of rules': `x.py::a${'.py::a'.repeat(150)}\n[ERROR] /${':[1,1]'.repeat(150)}\n`,
  'long words': `error: ${'a'.repeat(15_000)}\n`,
  'spaces and brackets': `error: ${' [(<"'.repeat(2_500)}\n`,
  'dots and colons': `${'a.b:1:2:'.repeat(2_000)}\n`,
};

/** The work for a line depends on no other line: these show that memory and time have a bound, and the rest needs less. */
const hugeOnes = ['lines', 'no line break', 'error lines'];

for (const [name, part] of Object.entries(floods)) {
  const size = hugeOnes.includes(name) ? 100 : 1;
  test(`readFailureLog reads ${size} MiB in short turns: ${name}`, async () => {
    const before = process.memoryUsage().rss;
    const started = cpuMs();
    await staysShort(name, async () => {
      const reason = await readFailureLog(repeat(part, size * mebibyte, error), empty);
      assert.ok(Value.Check(FailureReason, reason));
      assert.equal(reason.missing, size === 100 ? 'start' : null);
      assert.ok(Buffer.byteLength(JSON.stringify(reason.excerpts)) <= 64 * 1024);
      assert.ok((reason.errorLine?.length ?? 0) <= 500);
      if (name !== 'error lines') assert.equal(lastLines(reason).includes('Tests of the parser fail'), true);
    });
    const grown = (process.memoryUsage().rss - before) / mebibyte;
    assert.ok(grown < 160, `${grown.toFixed(0)} MiB`);
    assert.ok(cpuMs() - started < 60_000);
  });
}

function lastLines({ excerpts }: FailureReason): string {
  return excerpts
    .flatMap(({ lines }) => lines.flatMap(({ spans }) => spans.map(({ text }) => text)))
    .join('\n');
}

test('readFailureLog counts the lines of the part that it does not read', async () => {
  const line = `${'x'.repeat(99)}\n`;
  const { excerpts } = await readFailureLog(repeat(line, 22 * mebibyte, error), empty);
  const last = excerpts.at(-1);
  const sent = Math.ceil(mebibyte / 100) * 22;
  assert.equal((last?.firstLine ?? 0) + (last?.lines.length ?? 0) - 1, sent + 3);
});

test('readFailureLog takes a log of one byte and an empty one', async () => {
  const { errorLine, missing } = await readFailureLog(repeat('x', 0, 'x'), empty);
  assert.deepEqual({ errorLine, missing }, { errorLine: 'x', missing: null });
  const nothing = await readFailureLog(repeat('x', 0), empty);
  assert.deepEqual(nothing, {
    step: null,
    errorLine: null,
    subject: null,
    excerpts: [],
    otherSubjects: [],
    infrastructure: null,
    missing: null,
  });
});

test('readFailureLog uses what arrived before the forge closed the connection', async () => {
  const reason = await readFailureLog(cut('one\n##[error]it ', 'broke\nhalf a li'), empty);
  assert.equal(reason.errorLine, 'it broke');
  assert.equal(reason.missing, 'end');
  await assert.rejects(readFailureLog(cut(), empty), /connection reset/);
});

test('readFailureLog takes chunks of one byte, also inside characters', async () => {
  async function* bytes() {
    for (const byte of Buffer.from('\uFEFF2026-11-20T10:00:01.1Z ##[error]Prüfung schlägt fehl ✗\r\n'))
      yield Uint8Array.of(byte);
  }
  const { errorLine } = await readFailureLog(bytes(), empty);
  assert.equal(errorLine, 'Prüfung schlägt fehl ✗');
});

test('readFailureLog shows no control character', async () => {
  const hostile = '##[error]a\u0000b\u001b]0;title\u0007c\u202ed\u001b[2Ke\u001b(Bf\u200bg\u{e0041}h\n';
  const reason = await readFailureLog(repeat('x', 0, hostile), empty);
  assert.equal(reason.errorLine, 'abcdefgh');
  assert.doesNotMatch(lastLines(reason), /[\p{Cc}\p{Cf}]/u);
});
