import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { test } from 'node:test';
import { failedRun, failureOf, reportRun, retryLogs, untilLogIs } from '#test/support/forge/failed-log.ts';
import { newRepository } from '#test/support/forge/forge-repositories.ts';
import { startLinkedProduct } from '#test/support/forge/linked-team.ts';
import { watchTurns } from '#test/support/waiting/short-turns.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { ageRows } from '#test/support/database/rows.ts';

const linked = await startLinkedProduct();
const { forge, product, newLinkedTeam } = linked;
const staysShort = watchTurns();
const mebibyte = 1024 * 1024;
const time = '2026-11-20T12:00:05.0000000Z ';
const error = `\n${time}##[error]Tests of the parser fail\n`;

async function newTeam(name: string) {
  const repository = newRepository(`octo-org/${name}`);
  const team = await newLinkedTeam([repository]);
  await team.provisioned();
  const fail = async (log: string | RequestListener) => {
    const failed = failedRun(repository);
    repository.logs.set(failed.job.id, log);
    await reportRun(linked, team, repository, failed);
    const { run, job } = failed;
    const asked = () => forge.calls.filter((call) => call.endsWith(`/jobs/${job.id}/logs`)).length;
    return { runId: run.id, jobId: job.id, asked };
  };
  return { ...team, fail };
}

/** A log of `bytes` bytes that repeats `part`, with the error at its end. It is made of small pieces, and sent from any place. */
function longLog(part: string, bytes: number): RequestListener {
  const piece = Buffer.from(part.repeat(Math.ceil(65_536 / part.length)));
  function* piecesFrom(start: number): Generator<Buffer> {
    let left = bytes - start - error.length;
    for (; left > piece.length; left -= piece.length) yield piece;
    yield piece.subarray(0, left);
    yield Buffer.from(error);
  }
  return ({ headers }, response) => {
    const start = Number(/^bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0);
    response.writeHead(start > 0 ? 206 : 200, { 'content-length': bytes - start });
    // The reader closes the connection of the whole log.
    pipeline(Readable.from(piecesFrom(start)), response, () => {});
  };
}

// More shapes are read in hostile-logs.test.ts without a forge.
for (const [name, part, size, expected] of [
  ['lines', `${time}compiled src/module.ts in 12 ms\n`, 100, /Tests of the parser fail/],
  ['escape sequences in lines', `${time}error: ${'\u001b[31mx'.repeat(2_000)}\n`, 30, /^error: x+/],
] as const)
  test(`a log of ${size} MiB of ${name} is read over HTTP in short turns`, async () => {
    const team = await newTeam(`long-${name.replaceAll(' ', '-')}`);
    await staysShort(name, async () => {
      const { runId } = await team.fail(longLog(part, size * mebibyte));
      const failure = await untilLogIs(team, runId, 'read');
      assert.match(failure.errorLine, expected);
      assert.equal(failure.missing, 'start');
    });
  });

test('an expired log is asked for once, and the reason comes from the steps', async () => {
  const team = await newTeam('expired');
  const { runId, asked } = await team.fail((_request, response) =>
    response.writeHead(410).end(JSON.stringify({ message: 'Logs have expired' })),
  );
  const failure = await untilLogIs(team, runId, 'unreadable');
  assert.equal(failure.errorLine, 'Step Run npm test failed');
  assert.ok(failure.groupId);
  assert.equal(asked(), 1);
  const entries = await product.entries(team.integrationId);
  assert.equal(entries.filter(({ type }) => type === 'failure.log_unreadable').length, 1);
});

test('a log that is not found at any time is given up after five tries, and the reason comes from the steps', async () => {
  const team = await newTeam('missing');
  const { runId, asked } = await team.fail((_request, response) => response.writeHead(404).end());
  const failure = await waitUntil('the log to be given up', async () => {
    await retryLogs(product.database, team.integrationId);
    const found = await failureOf(team, runId);
    return found?.log === 'unreadable' && found;
  });
  assert.equal(failure.errorLine, 'Step Run npm test failed');
  assert.equal(asked(), 5);
});

/** How a forge fails one integration: what its log answers, and what its API answers. */
const faults: Record<string, { log: RequestListener; status?: number }> = {
  'hangs before it answers': { log: () => {} },
  'hangs in the middle of a log': {
    log: (_request, response) => void response.writeHead(200).write(`${time}begun\n`),
  },
  'sends a log byte by byte': {
    log: (_request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'), 100).unref();
      response.on('close', () => clearInterval(timer));
    },
  },
  'answers 500': { log: () => {}, status: 500 },
};

test('forges that hang, drip or fail for hours delay the reasons of their own integrations only', async () => {
  const bad = await Promise.all(
    Object.entries(faults).map(async ([name, fault]) => ({
      ...(await newTeam(name.replaceAll(' ', '-'))),
      ...fault,
    })),
  );
  const good = await newTeam('good');
  const failing = bad.filter(({ status }) => status !== undefined);
  const jobs = new Set<number>();
  forge.interfere = (call) => {
    const id = Number(/\/jobs\/(\d+)\/logs$/.exec(call)?.[1]);
    return jobs.has(id) ? { status: 500 } : undefined;
  };
  const failures = await Promise.all(
    bad.map(async (team) => {
      const failed = await team.fail(team.log);
      if (failing.includes(team)) jobs.add(failed.jobId);
      return { team, ...failed };
    }),
  );
  await waitUntil('all of them to be asked', () => failures.every(({ asked }) => asked() > 0));
  const { runId } = await good.fail(error);
  const failure = await untilLogIs(good, runId, 'read');
  assert.match(failure.errorLine, /Tests of the parser fail/);
  // After hours the logs are given up, whatever the forge does.
  for (const { team } of failures)
    await ageRows(product.database, 'pending_failures.noted_at', '7 hours', { group_id: team.integrationId });
  for (const { team, runId: ofBad } of failures) {
    const { log, groupId } = await waitUntil('a reason', async () => {
      const found = await failureOf(team, ofBad);
      return found?.log === 'reading' ? undefined : found;
    });
    // What arrived before a forge fell silent may have been stored as well.
    assert.ok(log === 'unreadable' || log === 'read', log);
    assert.ok(groupId);
  }
  forge.interfere = undefined;
});
