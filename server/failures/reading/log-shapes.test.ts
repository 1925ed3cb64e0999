import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { failedRun, failureOf, reportRun, untilLogIs } from '#test/support/forge/failed-log.ts';
import { newRepository } from '#test/support/forge/forge-repositories.ts';
import { startLinkedProduct } from '#test/support/forge/linked-team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const linked = await startLinkedProduct();
const { forge, newLinkedTeam } = linked;
const mebibyte = 1024 * 1024;
const time = '2026-11-20T12:00:05.0000000Z ';
const error = `\n${time}##[error]Tests of the parser fail\n`;

/** A team whose repository has a failed run with this log, and what the API says of it at the end. */
async function teamWithLog(name: string, log: string | Buffer | RequestListener | undefined) {
  const repository = newRepository(`octo-org/${name}`);
  const team = await newLinkedTeam([repository]);
  await team.provisioned();
  const failed = failedRun(repository);
  if (log !== undefined) repository.logs.set(failed.job.id, log);
  return { repository, team, failed, report: () => reportRun(linked, team, repository, failed) };
}

async function readBack(name: string, log: string | Buffer | RequestListener) {
  const { team, failed, report } = await teamWithLog(name, log);
  await report();
  return untilLogIs(team, failed.run.id, 'read');
}

/** Sends `bytes` of a line, then the error, without keeping them in memory. */
async function stream(response: ServerResponse, bytes: number, end: string): Promise<number> {
  const line = Buffer.from(`${time}compiled src/module.ts in 12 ms\n`);
  const chunk = Buffer.alloc(Math.ceil(mebibyte / line.length) * line.length, line);
  let sent = 0;
  while (sent < bytes && !response.destroyed) {
    sent += chunk.length;
    if (!response.write(chunk)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
  response.end(end);
  return sent;
}

// Each test has an installation of its own. They wait at the same time for logs that are read again later.
describe('logs of one forge', { concurrency: true }, () => {
  for (const [name, log, expected] of [
    ['one-byte', 'x', /^x$/],
    ['no-newline', `${'y'.repeat(2 * mebibyte)} Error: it broke`, /./],
    [
      'invalid-utf8',
      Buffer.concat([Buffer.from([0xff, 0xc0, 0x80, 0xed, 0xa0, 0x80]), Buffer.from(error)]),
      /Tests of the parser fail/,
    ],
    ['ansi-flood', `${time}\u001b[31m`.repeat(50_000) + error, /Tests of the parser fail/],
  ] as const)
    test(`a log is read through the product: ${name}`, async () => {
      const failure = await readBack(name, log);
      assert.match(failure.errorLine, expected);
      assert.ok(failure.errorLine.length <= 500);
      assert.doesNotMatch(JSON.stringify(failure), /\\u001b|\\ufffd\\u0000/);
      assert.ok(Buffer.byteLength(JSON.stringify(failure)) < 80 * 1024);
    });

  test('of a log of 100 MiB only the last 20 MiB are asked for', async () => {
    const size = 100 * mebibyte;
    let sent = 0;
    const failure = await readBack('huge', ({ headers }, response) => {
      const start = Number(/^bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0);
      response.writeHead(start > 0 ? 206 : 200, { 'content-length': size - start });
      if (start === 0) return void response.flushHeaders();
      const rest = Buffer.alloc(size - start, `${time}compiled src/module.ts in 12 ms\n`);
      rest.write(error, rest.length - error.length);
      sent += rest.length;
      response.end(rest);
    });
    assert.match(failure.errorLine, /Tests of the parser fail/);
    assert.equal(failure.missing, 'start');
    assert.equal(sent, 20 * mebibyte + 1);
  });

  test('a log that is cut in the middle gives the reason of what arrived', async () => {
    const failure = await readBack('cut', (_request, response) => {
      response.writeHead(200, { 'content-length': '100000' });
      response.write(`${error}${time}more`, () => response.destroy());
    });
    assert.match(failure.errorLine, /Tests of the parser fail/);
    assert.equal(failure.missing, 'end');
  });

  test('a log without an end is read up to a limit, while others get their reasons', async () => {
    const begun = Promise.withResolvers<void>();
    let sent = 0;
    const endless = await teamWithLog('endless', async (_request, response) => {
      response.writeHead(200);
      begun.resolve();
      sent = await stream(response, 1024 * mebibyte, error);
    });
    const other = await teamWithLog('beside', error);
    await endless.report();
    await begun.promise;
    await other.report();
    await untilLogIs(other.team, other.failed.run.id, 'read');
    await untilLogIs(endless.team, endless.failed.run.id, 'read');
    await waitUntil('the end of the answer', () => sent > 0);
    assert.ok(sent < 300 * mebibyte, `${sent / mebibyte} MiB`);
  });

  test('a log that the forge does not have yet is read later', async () => {
    const { repository, team, failed, report } = await teamWithLog('late', undefined);
    await report();
    await waitUntil('the first try', () =>
      forge.calls.some((call) => call.endsWith(`/jobs/${failed.job.id}/logs`)),
    );
    assert.equal((await untilLogIs(team, failed.run.id, 'reading')).groupId, null);
    repository.logs.set(failed.job.id, error);
    await untilLogIs(team, failed.run.id, 'read');
  });

  test('a redirect of the log into a private network is not followed', async () => {
    let calls = 0;
    const inside = createServer((_request, response) => response.end(String((calls += 1)))).listen(
      0,
      '127.0.0.1',
    );
    await once(inside, 'listening');
    after(() => inside.close());
    const { port } = inside.address() as AddressInfo;
    const { team, failed, report } = await teamWithLog('private', (_request, response) =>
      response.writeHead(302, { location: `http://127.0.0.1:${port}/latest/meta-data` }).end(),
    );
    await report();
    const isRead = () => forge.calls.some((call) => call.endsWith(`/stored-logs/${failed.job.id}`));
    await waitUntil('the redirect to be read', isRead);
    assert.equal((await untilLogIs(team, failed.run.id, 'reading')).groupId, null);
    assert.equal(calls, 0);
  });

  test('a forge that answers 429 is left alone for the time that it names', async () => {
    const { team, failed, report } = await teamWithLog('busy', error);
    let isBusy = true;
    forge.interfere = (call) =>
      isBusy && call.endsWith(`/jobs/${failed.job.id}/logs`)
        ? { status: 429, message: 'slow down', headers: { 'retry-after': '5' } }
        : undefined;
    await report();
    const asked = () => forge.calls.filter((call) => call.endsWith(`/jobs/${failed.job.id}/logs`)).length;
    await waitUntil('the first try', () => asked() === 1);
    isBusy = false;
    const askedAt = Date.now();
    const refused = await team.member.call('POST', team.path(`/workflows/${failed.run.id}/rerun`), {
      scope: 'all',
    });
    assert.equal(refused.body['code'], 'forge_unavailable');
    await untilLogIs(team, failed.run.id, 'read');
    assert.ok(Date.now() - askedAt > 3000);
    forge.interfere = undefined;
  });

  test('the last fifth of the rate limit is left to people, and the log is read after the limit is reset', async () => {
    const { repository, team, failed, report } = await teamWithLog('limited', error);
    const limit = (remaining: number, seconds: number) => ({
      'x-ratelimit-limit': '1000',
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000) + seconds),
    });
    const [seconds, startedAt] = [20, Date.now()];
    const exhausted = limit(150, seconds);
    forge.headers = (call) => (call.includes(repository.name) ? exhausted : {});
    const [member, path] = [team.member, team.path(`/workflows/${failed.run.id}/rerun`)];
    await report();
    await waitUntil('the run', async () => (await failureOf(team, failed.run.id)) !== undefined);
    await waitUntil('the annotations to use up the budget of the background', () =>
      forge.calls.some((call) => call.includes(`/check-runs/${failed.job.id}/`)),
    );
    const { status } = await member.call('POST', path, { scope: 'failed' });
    assert.equal(status, 202);
    assert.ok(forge.calls.some((call) => call.endsWith(`/runs/${failed.run.id}/rerun-failed-jobs`)));
    const isAsked = forge.calls.some((call) =>
      call.startsWith(`GET /repos/${repository.name}/actions/jobs/`),
    );
    // On a very busy machine the limit may be reset by now.
    assert.ok(!isAsked || Date.now() - startedAt > seconds * 1000);
    forge.headers = () => ({});
    await untilLogIs(team, failed.run.id, 'read');
  });
});
