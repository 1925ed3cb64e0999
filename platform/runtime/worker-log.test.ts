import assert from 'node:assert/strict';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import pino from 'pino';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { makeTemporaryDirectory } from '#test/support/product/temporary-directory.ts';
import { openWorkerLog } from './worker-log.ts';

const logDir = await makeTemporaryDirectory();
const settings = { logLevel: 'info', logDir, logRetentionDays: 30 } as const;
const silent = pino({ enabled: false }, { write: () => {} });

test('the worker log writes JSON lines to its own file and redacts secrets', async () => {
  const { log, close } = await openWorkerLog(settings, silent);
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

test('a logged error contains only type, message, code, stack and cause', async () => {
  const hidden = { client: { secretKey: 'hunter2' }, detail: 'hunter2', where: 'hunter2', body: 'hunter2' };
  const cause = Object.assign(new TypeError('below'), { code: 'ECONNRESET', ...hidden });
  const error = Object.assign(new RangeError('above', { cause }), { code: '57P01', ...hidden });
  const { log, close } = await openWorkerLog(settings, silent);
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

test('old log files are removed at start, other files stay', async () => {
  const daysAgo = (days: number): Date => new Date(Date.now() - days * 86_400_000);
  for (const [name, days] of [
    ['worker.2020-01-01.log', 31],
    ['worker.2020-02-01.log', 29],
    ['notes.log', 400],
  ] as const) {
    await writeFile(path.join(logDir, name), '');
    await utimes(path.join(logDir, name), daysAgo(days), daysAgo(days));
  }
  const { close } = await openWorkerLog(settings, silent);
  await close();
  const names = await readdir(logDir);
  assert.equal(names.includes('worker.2020-01-01.log'), false);
  assert.ok(names.includes('worker.2020-02-01.log') && names.includes('notes.log'));
});

test('an old log that cannot be removed is reported and keeps neither the start nor other files', async () => {
  const directory = await mkdtemp(path.join(logDir, 'old-'));
  const old = new Date(0);
  await mkdir(path.join(directory, 'worker.a.log'));
  await writeFile(path.join(directory, 'worker.b.log'), '');
  for (const name of ['worker.a.log', 'worker.b.log']) await utimes(path.join(directory, name), old, old);
  let lines = '';
  const main = pino({}, { write: (line: string) => void (lines += line) });
  const { close } = await openWorkerLog({ ...settings, logDir: directory }, main);
  await close();
  const names = await readdir(directory);
  assert.deepEqual([names.includes('worker.a.log'), names.includes('worker.b.log')], [true, false]);
  assert.match(lines, /old log files not removed/);
});

/** Settings of a log whose file stands on a full disk, until `makeRoom`. */
async function onFullDisk() {
  const directory = await mkdtemp(path.join(logDir, 'full-'));
  const inDirectory = { ...settings, logDir: directory, logRetentionDays: 10_000 };
  await (await openWorkerLog(inDirectory, silent)).close();
  const file = path.join(directory, (await readdir(directory))[0] ?? '');
  await rm(file);
  await symlink('/dev/full', file);
  return { settings: inDirectory, file, makeRoom: () => rm(file) };
}

test('a full disk sends lines to standard error until the file is writable again', async () => {
  const disk = await onFullDisk();
  let mainLines = '';
  const fallback = { write: (line: string) => void (mainLines += line) };
  const main = pino({}, fallback);
  const { log, close } = await openWorkerLog(disk.settings, main, { fallback, retryMs: 1000 });
  await waitUntil('a line to go to standard error', () => {
    log.info('while the disk is full');
    return mainLines.includes('while the disk is full');
  });
  assert.match(mainLines, /^.*ENOSPC.*log file not writable/);

  await disk.makeRoom();
  await waitUntil('a line to go to the file', async () => {
    log.info('with room again');
    return (await readFile(disk.file, 'utf8').catch(() => '')).includes('with room again');
  });
  await close();
});

test('a log with a broken file can be closed and written to afterwards', async () => {
  const { settings: broken } = await onFullDisk();
  let mainLines = '';
  const fallback = { write: (line: string) => void (mainLines += line) };
  const main = pino({}, fallback);
  const { log, close } = await openWorkerLog(broken, main, { fallback });
  log.info('one that does not fit');
  await waitUntil('the write to fail', () => mainLines.includes('not writable'));
  await close();
  log.info('too late');
  assert.match(mainLines, /too late/);
});

const modeOf = async (file: string): Promise<string> => ((await stat(file)).mode & 0o777).toString(8);

test('other accounts cannot read new or existing log files', async () => {
  const open = await makeTemporaryDirectory();
  await chmod(open, 0o755);
  const old = path.join(open, 'worker.2026-01-01.log');
  await writeFile(old, '', { mode: 0o644 });
  const { log, close } = await openWorkerLog({ ...settings, logDir: open }, silent);
  log.info('a line');
  await close();
  const names = await readdir(open);
  assert.equal(names.length, 2);
  for (const name of names) assert.equal(await modeOf(path.join(open, name)), '600', name);
  assert.equal(await modeOf(open), '700');
});

test('a directory with foreign files keeps its permissions, and so do these files', async () => {
  const shared = await makeTemporaryDirectory();
  await chmod(shared, 0o755);
  await writeFile(path.join(shared, 'syslog'), '', { mode: 0o644 });
  const { log, close } = await openWorkerLog({ ...settings, logDir: shared }, silent);
  log.info('a line');
  await close();
  for (const name of await readdir(shared))
    assert.equal(await modeOf(path.join(shared, name)), name === 'syslog' ? '644' : '600', name);
  assert.equal(await modeOf(shared), '755');
});
