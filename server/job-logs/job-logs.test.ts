import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Compile } from 'typebox/compile';
import { JobLog, JobLogLines, JobLogMatches } from '#contract/failures/job-log.ts';
import { failedRun, reportRun, untilLogIs } from '#test/support/forge/failed-log.ts';
import { newRepository } from '#test/support/forge/forge-repositories.ts';
import { startLinkedProduct } from '#test/support/forge/linked-team.ts';
import type { Person } from '#test/support/team/team.ts';
import { forgetLogs } from './forget-logs.ts';
import { watchTurns } from '#test/support/waiting/short-turns.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const mebibyte = 1024 * 1024;
const quota = 250 * mebibyte;
const linked = await startLinkedProduct({ LOG_BYTES_PER_PERSON_PER_DAY: String(quota) });
const { forge, product, newLinkedTeam } = linked;
const staysShort = watchTurns();
const time = '2026-11-20T12:00:05.0000000Z ';

async function newJob(name: string, log: string | RequestListener | undefined) {
  const repository = newRepository(`octo-org/${name}`);
  const team = await newLinkedTeam([repository]);
  await team.provisioned();
  const failed = failedRun(repository);
  if (log !== undefined) repository.logs.set(failed.job.id, log);
  await reportRun(linked, team, repository, failed);
  const { run, job } = failed;
  const asked = () => forge.calls.filter((call) => call.endsWith(`/jobs/${job.id}/logs`)).length;
  const pathOf = (rest = '') => team.path(`/workflows/${run.id}/jobs/${job.id}/log${rest}`);
  const ask = (rest = '', person: Person = team.viewer) => person.call('GET', pathOf(rest));
  await waitUntil('the job', async () => {
    const { body } = await team.viewer.call('GET', team.path(`/workflows/${run.id}`));
    return (body['jobs'] as unknown[] | undefined)?.length === 1;
  });
  return { team, repository, run, job, asked, pathOf, ask };
}
type Job = Awaited<ReturnType<typeof newJob>>;

const checks = { log: Compile(JobLog), lines: Compile(JobLogLines), matches: Compile(JobLogMatches) };

async function logOf({ ask }: Job, person?: Person): Promise<JobLog> {
  const { status, body } = await ask('', person);
  assert.equal(status, 200, JSON.stringify(body));
  assert.ok(checks.log.Check(body));
  return body;
}

const untilRead = (job: Job) =>
  waitUntil('the whole log', async () => {
    // Readings of earlier tests may still take all places.
    const { status, body } = await job.ask();
    if (status === 429) return undefined;
    assert.equal(status, 200, JSON.stringify(body));
    assert.ok(checks.log.Check(body));
    return body.state === 'complete' && body;
  });

async function linesOf({ ask }: Job, query = ''): Promise<JobLogLines> {
  const { status, body } = await ask(`/lines${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  assert.ok(checks.lines.Check(body));
  return body;
}

async function search({ ask }: Job, q: string): Promise<JobLogMatches> {
  const { body } = await ask(`/search?q=${encodeURIComponent(q)}`);
  assert.ok(checks.matches.Check(body));
  return body;
}

async function textOf({ team, pathOf }: Job, query = ''): Promise<string> {
  const answer = await team.viewer.browser.fetch(product.publicUrl + pathOf(`/text${query}`));
  assert.equal(answer.status, 200);
  return answer.text();
}

/** Read again whatever the time is. */
const forgetTimes = () =>
  product.database.asOwner(`update job_logs set fresh_until = now() where fresh_until is not null`);

test('a log has its lines in colours, with times, steps, groups and error lines', async () => {
  const log = [
    '\uFEFF2026-11-20T11:59:59.0000000Z Current runner version',
    `2026-11-20T12:00:00.0000000Z ##[group]Run npm test`,
    `2026-11-20T12:00:00.0000000Z \u001b[36;1mnpm test\u001b[0m`,
    `2026-11-20T12:00:00.0000000Z ##[endgroup]`,
    `${time}\u001b[32mok\u001b[0m 1 \u001b]8;;https://example.com\u0007link\u001b]8;;\u0007`,
    `${time}  1) Basket adds:`,
    `${time}##[error]Tests of the basket fail`,
    `${time}##[error]Process completed with exit code 1.`,
    '',
  ].join('\r\n');
  const job = await newJob('colours', log);
  const { lines, sections, errorLines, missing, pollAfterMs } = await untilRead(job);
  assert.deepEqual([lines, missing, pollAfterMs], [8, null, null]);
  assert.deepEqual(sections, [
    { kind: 'step', title: 'Run npm test', from: 2, to: 8 },
    { kind: 'group', title: 'Run npm test', from: 2, to: 4 },
  ]);
  assert.ok(errorLines.includes(7) && !errorLines.includes(8), String(errorLines));
  const page = await linesOf(job, '?from=3&limit=3');
  assert.deepEqual(page.lines[0], {
    text: 'npm test',
    spans: [{ text: 'npm test', colour: 'cyan', bold: true }],
    time: '2026-11-20T12:00:00Z',
  });
  assert.deepEqual(page.lines[2]?.spans, [{ text: 'ok', colour: 'green' }, { text: ' 1 link' }]);
  assert.deepEqual([page.from, page.total], [3, 8]);
  assert.deepEqual((await search(job, 'OK 1 L')).lines, [5]);
  assert.deepEqual((await linesOf(job, '?from=9')).lines, []);
});

test('secrets are masked in lines, text and search, also those that span lines', async () => {
  const key = [
    '-----BEGIN PRIVATE KEY-----',
    'MIIBVgIBADANBgkqhkiG9w0BAQEFAASCAUAwggE8',
    '-----END PRIVATE KEY-----',
  ];
  const token = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
  const lines = [
    'begin',
    ...key,
    `echo ${token}`,
    'password: >-',
    '  hunter2secret',
    '\u001b[31mDB_\u001b[1mPASSWORD=hunter3secret\u001b[0m',
    'end',
  ];
  const job = await newJob('secrets', lines.map((line) => `${time}${line}`).join('\n'));
  await untilRead(job);
  const texts = (await linesOf(job)).lines.map(({ text }) => text).join('\n');
  for (const shown of [texts, await textOf(job), await textOf(job, '?colour=true')])
    for (const secret of ['MIIBVgIBADANB', token, 'hunter2secret', 'hunter3secret'])
      assert.ok(!shown.includes(secret), shown);
  assert.match(texts, /^begin\n[\s\S]*end$/);
  assert.deepEqual((await search(job, 'hunter')).lines, []);
  const stored = await product.database.asOwner<{ sealed: Buffer }>(
    'select sealed_lines as sealed from job_log_parts',
  );
  assert.ok(stored.every(({ sealed }) => !sealed.includes('begin')));
});

test('a log is asked for once by people who look at it again', async () => {
  const job = await newJob('twice', `${time}one\n${time}two`);
  // The worker reads it as well, for the reason of the failure.
  await untilLogIs(job.team, job.run.id, 'read');
  await untilRead(job);
  const before = job.asked();
  await logOf(job, job.team.member);
  assert.deepEqual(
    (await linesOf(job)).lines.map(({ text }) => text),
    ['one', 'two'],
  );
  assert.equal(job.asked(), before);
});

test('a log comes from the storage that the forge redirects to, and from another address there when one has expired', async () => {
  let addresses = 0;
  const job = await newJob('storage', (request, response) => {
    const signature = new URL(request.url ?? '', forge.url).searchParams.get('signature');
    if (signature === null)
      response.writeHead(302, { location: `/stored-logs/${job.job.id}?signature=${(addresses += 1)}` }).end();
    else if (isExpired) response.writeHead(403).end('<Error><Code>AuthenticationFailed</Code></Error>');
    else response.end(`${time}from storage\n`);
  });
  let isExpired = true;
  await product.database.asOwner('delete from job_logs where job_id = $1', [job.job.id]);
  const { status, body } = await job.ask();
  assert.deepEqual([status, body.code], [409, 'forge_refused']);
  isExpired = false;
  await forgetTimes();
  assert.equal((await untilRead(job)).lines, 1);
  assert.ok(addresses > 1);
});

test('an expired log, one that is not there and a run of another integration are told apart', async () => {
  const expired = await newJob('expired', (_request, response) =>
    response.writeHead(410).end(JSON.stringify({ message: 'Logs have expired' })),
  );
  const { status, body } = await expired.ask();
  assert.deepEqual([status, body.code], [410, 'log_expired']);
  // The worker asks for it as well, for the reason of the failure.
  await untilLogIs(expired.team, expired.run.id, 'unreadable');
  const asked = expired.asked();
  assert.equal((await expired.ask('/lines')).status, 410);
  assert.equal(expired.asked(), asked, 'the answer of the forge is kept for some minutes');
  const missing = await expired.team.viewer.call(
    'GET',
    expired.team.path(`/workflows/${expired.run.id}/jobs/1/log`),
  );
  assert.equal(missing.status, 404);
  const other = await newJob('other', `${time}theirs`);
  const outsider = await product.person('outsider');
  assert.equal((await other.ask('', outsider)).status, 403);
  const foreign = await expired.team.viewer.call(
    'GET',
    expired.team.path(`/workflows/${other.run.id}/jobs/${other.job.id}/log`),
  );
  assert.equal(foreign.status, 404);
});

test('a forge that hangs holds no request, and one that stops in the middle leaves what it sent', async () => {
  const hanging = await newJob('hangs', (_request, response) => void response.writeHead(200).flushHeaders());
  const { state, lines } = await logOf(hanging);
  assert.deepEqual([state, lines], ['reading', 0]);
  let isWhole = false;
  const cut = await newJob('cut', (_request, response) => {
    response.writeHead(200, isWhole ? {} : { 'content-length': '1000' });
    if (isWhole) return void response.end(`${time}one\n${time}two\n`);
    response.write(`${time}one\n`, () => response.destroy());
  });
  const log = await untilRead(cut);
  assert.deepEqual([log.lines, log.missing], [1, 'end']);
  isWhole = true;
  await forgetTimes();
  await waitUntil('the rest', async () => (await logOf(cut)).lines === 2);
  assert.deepEqual(
    (await linesOf(cut)).lines.map(({ text }) => text),
    ['one', 'two'],
  );
  assert.equal((await untilRead(cut)).missing, null);
});

test('the log of a job that runs grows, and is waited for where the forge has none before the end', async () => {
  let lines = ['one', 'two'];
  const job = await newJob('live', (_request, response) => {
    if (lines.length === 0) return void response.writeHead(404).end('{}');
    response.end(lines.map((line) => `${time}${line}\n`).join(''));
  });
  const ids = [job.run.id, job.job.id];
  await product.database.asOwner(
    `update workflow_jobs set status = 'in_progress', conclusion = null, completed_at = null where job_id = $1`,
    [ids[1]],
  );
  await product.database.asOwner(
    `update workflow_runs set status = 'in_progress', conclusion = null where run_id = $1`,
    [ids[0]],
  );
  const log = await waitUntil('a live log', async () => {
    const found = await logOf(job);
    return found.state === 'live' && found;
  });
  assert.equal(log.lines, 2);
  assert.ok(log.pollAfterMs);
  lines = [...lines, 'three'];
  await forgetTimes();
  await waitUntil('another line', async () => (await logOf(job)).lines === 3);
  assert.deepEqual(
    (await linesOf(job)).lines.map(({ text }) => text),
    ['one', 'two', 'three'],
  );
  await product.database.asOwner('delete from job_logs where job_id = $1', [ids[1]]);
  lines = [];
  assert.deepEqual((await logOf(job)).state, 'waiting');
});

test('people below the role that the integration asks for read no log', async () => {
  const job = await newJob('roles', `${time}one`);
  const { team } = job;
  await untilRead(job);
  const change = (person: Person, role: string) => person.call('PUT', team.path('/log-access'), { role });
  assert.equal((await change(team.member, 'member')).status, 403);
  assert.equal((await change(team.admin, 'member')).status, 200);
  for (const rest of ['', '/lines', '/search?q=one', '/text']) {
    const { status, body } = await job.ask(rest);
    assert.deepEqual([status, body.code], [403, 'insufficient_role'], rest);
    assert.equal((await job.ask(rest, team.member)).status, 200, rest);
  }
  assert.deepEqual((await team.viewer.call('GET', team.path('/log-access'))).body, { role: 'member' });
  const entries = await product.entries(team.integrationId);
  assert.equal(entries.filter(({ type }) => type === 'integration.log_access_changed').length, 1);
});

/** A log of `bytes` bytes that ends with `last`, made of small pieces. */
function longLog(bytes: number, last: string, mayEnd: Promise<void>): RequestListener {
  const line = `${time}compiled src/module.ts in 12 ms for the page of the basket of the shop\n`;
  const secret = `${time}compiled src/module.ts with TOKEN=abcdefgh12345678\n`;
  const piece = Buffer.from(secret + line.repeat(Math.ceil(65_536 / line.length)));
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let left = bytes; left > 0; left -= piece.length) {
      yield piece;
      // The rest is sent slowly at first: a server that is silent is given up.
      if (left < bytes / 2) await Promise.race([mayEnd, delay(100)]);
    }
    yield Buffer.from(last);
  }
  return (_request, response) => {
    response.writeHead(200);
    pipeline(Readable.from(pieces()), response, () => {});
  };
}

const size = 5 * mebibyte;

test('a long log is read in short turns with flat memory, its first lines come before its end, and all of it is searched', async () => {
  const ended = Promise.withResolvers<void>();
  const job = await newJob('long', longLog(size, `${time}the needle\n`, ended.promise));
  let [before, peak] = [0, 0];
  const memory = (): number => process.memoryUsage().rss;
  const timer = setInterval(() => (peak = Math.max(peak, memory())), 20).unref();
  await staysShort('a long log', async () => {
    before = memory();
    const first = await waitUntil('the first lines', async () => {
      const { lines } = await linesOf(job);
      return lines.length === 100 && lines;
    });
    assert.match(first[0]?.text ?? '', /TOKEN=\*\*\*$/);
    assert.equal((await logOf(job)).state, 'reading');
    ended.resolve();
    const { lines } = await untilRead(job);
    assert.ok(lines > 40_000);
    assert.deepEqual((await search(job, 'The Needle')).lines, [lines]);
    const all = await search(job, 'compiled');
    assert.deepEqual([all.lines.length, all.lines[9_999], all.isCut], [10_000, 10_000, true]);
    assert.equal((await linesOf(job, `?from=${lines}`)).lines[0]?.text, 'the needle');
    assert.equal((await textOf(job)).split('\n').length, lines + 1);
    assert.equal(await textOf(job, `?from=${lines}`), 'the needle\n');
  });
  clearInterval(timer);
  assert.ok(peak - before < 150 * mebibyte, `${(peak - before) / mebibyte} MiB`);
});

test('a person who had too much read from forges today reads only what is stored', async () => {
  const [stored, another] = [await newJob('stored', `${time}one`), await newJob('another', `${time}two`)];
  await untilRead(stored);
  await product.database.asOwner('update log_usage set bytes = $1', [quota]);
  const { status, body } = await another.ask();
  assert.deepEqual([status, body.code], [429, 'quota_exceeded']);
  assert.equal((await linesOf(stored)).lines.length, 1);
  await product.database.asOwner(`update log_usage set day = day - 1`);
  assert.equal((await untilRead(another)).lines, 1);
});

test('the cache keeps the logs that were opened last', async () => {
  const [old, kept] = [await newJob('old', `${time}one`), await newJob('kept', `${time}two`)];
  for (const job of [old, kept]) await untilRead(job);
  const { integrationId } = old.team;
  await product.database.asOwner(
    `update job_logs set opened_at = now() - interval '4 days' where job_id = $1`,
    [old.job.id],
  );
  for (const { team } of [old, kept])
    await product.database.worker.withScope({ integrationId: team.integrationId }, (tx) =>
      forgetLogs(tx, team.integrationId, { logCacheDays: 3, logCacheBytes: mebibyte }),
    );
  const left = await product.database.asOwner<{ id: string }>(
    'select job_id as id from job_logs l where job_id in ($1, $2) and exists (select from job_log_parts p where p.job_id = l.job_id)',
    [old.job.id, kept.job.id],
  );
  assert.deepEqual(
    left.map(({ id }) => Number(id)),
    [kept.job.id],
  );
  assert.notEqual(integrationId, kept.team.integrationId);
});
