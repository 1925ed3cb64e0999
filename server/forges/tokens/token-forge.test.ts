import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { test } from 'node:test';
import pino from 'pino';
import { makeGuardedFetch } from '#platform/http/outgoing/guarded-fetch.ts';
import { openGate } from '#server/forges/budget/forge-gate.ts';
import { ActionNotOffered, ForgeError, RateLimited } from '#server/forges/errors.ts';
import { forgejoRun } from '#test/support/forge/other-forges.ts';
import { serve } from '#test/support/network/serve.ts';
import type { ForgeKind } from '#contract/integrations/forge-connection.ts';
import { makeTokenForge } from './token-forge.ts';

/** A forge on loopback, reached with a token. */
async function connect(forge: ForgeKind, handle: RequestListener) {
  const { url } = await serve(handle);
  return makeTokenForge(
    {
      gate: openGate,
      priority: 'interactive',
      guardedFetch: makeGuardedFetch({ allowedNetworks: [], trustedOrigins: [url] }),
      log: pino({ enabled: false }),
      connection: 'test',
    },
    { forge, url, token: 'secret' },
  );
}

const json = { 'content-type': 'application/json' };

test('runs of Forgejo are read in the format of webhooks, and cancelled, but not re-run', async () => {
  const calls: string[] = [];
  const forge = await connect('forgejo', ({ method, url = '', headers }, response) => {
    calls.push(`${method} ${url.split('?')[0]}`);
    assert.equal(headers.authorization, 'token secret');
    const runs = [forgejoRun({ status: 'running', stopped: '0001-01-01T00:00:00Z' }), { id: 'odd' }];
    if (url.includes('/logs')) return void response.end('the log\n');
    if (url.endsWith('/cancel')) return void response.writeHead(204).end();
    if (url.includes('/rerun')) return void response.writeHead(404, json).end('{"message":"Not Found"}');
    const body = url.includes('/runs?') ? { total_count: 2, workflow_runs: runs } : runs[0];
    response.writeHead(200, json).end(JSON.stringify(body));
  });
  const { runs, isLast } = await forge.listRuns('acme/site', 1);
  assert.equal(isLast, true);
  assert.equal(runs.length, 1);
  const run = runs[0] as unknown as Record<string, unknown>;
  assert.deepEqual(
    [run['id'], run['status'], run['conclusion'], run['head_branch'], run['completed_at'], run['created_at']],
    [501, 'in_progress', null, 'main', null, '2026-11-20T10:00:00Z'],
  );
  const chunks: Uint8Array[] = [];
  for await (const chunk of forge.readJobLog('acme/site', 7)) chunks.push(chunk);
  assert.equal(Buffer.concat(chunks).toString(), 'the log\n');
  await forge.cancel('acme/site', 501);
  await assert.rejects(forge.rerunAll('acme/site', 501), ActionNotOffered);
  assert.ok(calls.includes('GET /api/v1/repos/acme/site/actions/jobs/7/logs'));
  assert.ok(calls.includes('POST /api/v1/repos/acme/site/actions/runs/501/cancel'));
});

for (const [name, handle] of [
  [
    'is cut in the middle',
    (_request, response) => {
      response.writeHead(200, { ...json, 'content-length': '1000' }).write('[{"full_name":');
      setTimeout(() => response.destroy(), 50);
    },
  ],
  ['closes the connection', (_request, response) => void response.destroy()],
  [
    'redirects without an end',
    ({ url = '' }, response) => void response.writeHead(302, { location: url }).end(),
  ],
] as [string, RequestListener][]) {
  test(`a forge that ${name} fails the call without showing the token`, async () => {
    const forge = await connect('gitea', handle);
    await assert.rejects(forge.listRepositories(), (error) => {
      assert.ok(error instanceof ForgeError, String(error));
      assert.equal(error.status, 500);
      assert.ok(!error.message.includes('secret'));
      return true;
    });
  });
}

for (const kind of ['github', 'gitea', 'forgejo'] as const) {
  test(`a server that is no forge is not accepted as ${kind}`, async () => {
    const forge = await connect(kind, (_request, response) => response.end('<html>Welcome</html>'));
    await assert.rejects(forge.verifyAccount(), ForgeError);
    assert.deepEqual(await forge.listRepositories(), []);
  });
}

test('a rate limit is reported with its duration', async () => {
  const forge = await connect('github', (_request, response) =>
    response.writeHead(403, { ...json, 'retry-after': '60' }).end('{"message":"slow down"}'),
  );
  await assert.rejects(
    forge.verifyAccount(),
    (error) => error instanceof RateLimited && error.waitMs === 60_000,
  );
});

test('annotations of a job of GitHub are read with their level and place', async () => {
  const forge = await connect('github', ({ url }, response) => {
    assert.match(url ?? '', /^\/api\/v3\/repos\/acme\/site\/check-runs\/7\/annotations/);
    const annotation = { path: 'a.ts', start_line: 3, end_line: 3, title: null, message: 'broke' };
    const levels = ['failure', 'warning', 'notice', null];
    response
      .writeHead(200, json)
      .end(JSON.stringify(levels.map((annotation_level) => ({ ...annotation, annotation_level }))));
  });
  const found = await forge.listAnnotations('acme/site', 7);
  assert.deepEqual(
    found.map(({ level }) => level),
    ['failure', 'warning', 'notice', 'notice'],
  );
  assert.deepEqual(found[0], { level: 'failure', title: null, message: 'broke', path: 'a.ts', line: 3 });
});

test('annotations without the right types are left out, so that the log of the job can be read', async () => {
  const annotation = { path: 'a.ts', start_line: 3, annotation_level: 'failure' };
  const answers: unknown[] = [
    [null, 'odd', { ...annotation, path: 7 }, { ...annotation, title: 7, message: ['broke'] }],
    { message: 'not a list' },
  ];
  const forge = await connect('github', (_request, response) =>
    response.writeHead(200, json).end(JSON.stringify(answers.shift())),
  );
  assert.deepEqual(await forge.listAnnotations('acme/site', 7), [
    { level: 'failure', title: null, message: '', path: 'a.ts', line: 3 },
  ]);
  assert.deepEqual(await forge.listAnnotations('acme/site', 7), []);
});

test('runs, jobs and pull requests of GitHub without the right types are left out', async () => {
  const run = { id: 1, created_at: '2026-11-20T10:00:00Z' };
  const pull = { number: 1, updated_at: '2026-11-20T10:00:00Z', merged_at: null };
  const forge = await connect('github', ({ url = '' }, response) => {
    const body = url.includes('/jobs?')
      ? { jobs: [null, { id: 7 }] }
      : url.includes('/runs?')
        ? { workflow_runs: [null, { id: 'odd' }, run] }
        : [null, { number: 2 }, pull];
    response.writeHead(200, json).end(JSON.stringify(body));
  });
  assert.deepEqual((await forge.listRuns('acme/site', 1)).runs, [run]);
  assert.deepEqual((await forge.listPullRequests('acme/site', 1)).pullRequests, [pull]);
  assert.deepEqual(await forge.listJobs('acme/site', 1), [{ id: 7 }]);
});

test('a list that GitHub does not return is empty', async () => {
  const forge = await connect('github', (_request, response) => response.writeHead(200, json).end('{}'));
  assert.deepEqual((await forge.listRuns('acme/site', 1)).runs, []);
  assert.deepEqual((await forge.listPullRequests('acme/site', 1)).pullRequests, []);
  assert.deepEqual(await forge.listJobs('acme/site', 1), []);
});
