import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { openWorkerLog } from './log.ts';

const logDir = await mkdtemp(path.join(tmpdir(), 'forgewatch-log-'));
after(() => rm(logDir, { recursive: true, force: true }));
const settings = { logLevel: 'info', logDir, logRetentionDays: 30 } as const;

test('the worker writes JSON lines to a file of its own, with secrets blanked', async () => {
  const { log, close } = await openWorkerLog(settings);
  log.info({ token: 'hunter2', nested: { secret: 'hunter2' } }, 'a line');
  await close();
  const [name = ''] = await readdir(logDir);
  assert.match(name, /^worker\..*\.log$/);
  const line = JSON.parse(await readFile(path.join(logDir, name), 'utf8')) as Record<string, unknown>;
  assert.deepEqual(
    [line['service'], line['msg'], line['token'], line['nested']],
    ['worker', 'a line', '[redacted]', { secret: '[redacted]' }],
  );
});

test('of an error its type, message, code, stack and cause are told, and nothing that hangs on it', async () => {
  const hidden = { client: { secretKey: 'hunter2' }, detail: 'hunter2', where: 'hunter2', body: 'hunter2' };
  const cause = Object.assign(new TypeError('below'), { code: 'ECONNRESET', ...hidden });
  const error = Object.assign(new RangeError('above', { cause }), { code: '57P01', ...hidden });
  const { log, close } = await openWorkerLog(settings);
  log.warn({ err: error }, 'a failure');
  await close();
  const [name = ''] = await readdir(logDir);
  const text = await readFile(path.join(logDir, name), 'utf8');
  const line = JSON.parse(text.split('\n').find((each) => each.includes('a failure')) ?? '') as object;
  assert.doesNotMatch(JSON.stringify(line), /hunter2/);
  assert.deepEqual((line as { err: object }).err, {
    type: 'RangeError',
    message: 'above',
    code: '57P01',
    stack: error.stack,
    cause: { type: 'TypeError', message: 'below', code: 'ECONNRESET', stack: cause.stack },
  });
});

test('files beyond their days are removed at the start, whatever else lies there stays', async () => {
  const daysAgo = (days: number): Date => new Date(Date.now() - days * 86_400_000);
  for (const [name, days] of [
    ['worker.2020-01-01.1.log', 31],
    ['worker.2020-02-01.1.log', 29],
    ['notes.log', 400],
  ] as const) {
    await writeFile(path.join(logDir, name), '');
    await utimes(path.join(logDir, name), daysAgo(days), daysAgo(days));
  }
  const { close } = await openWorkerLog(settings);
  await close();
  const names = await readdir(logDir);
  assert.equal(names.includes('worker.2020-01-01.1.log'), false);
  assert.ok(names.includes('worker.2020-02-01.1.log') && names.includes('notes.log'));
});
