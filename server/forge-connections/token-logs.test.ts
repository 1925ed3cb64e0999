import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zipOf } from '#server/simulate/sample-forge/sample-artifacts.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { postFailedJob } from '#test/support/data/failed-job.ts';
import { retryLogs, untilLogIs } from '#test/support/forge/failed-log.ts';
import type { GiteaServer } from '#test/support/forge/gitea-server.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { startGiteaProduct } from '#test/support/forge/gitea-product.ts';

const { gitea, product, body } = await startGiteaProduct();
const team = await product.newTeam();
assert.equal((await team.admin.call('PUT', team.path('/forge-connection'), body)).status, 204);
const repositories = ['acme/site'];
const chosen = await team.admin.call('PUT', team.path('/forge-connection/repositories'), { repositories });
assert.equal(chosen.status, 204);

let runs = 0;

/** Reports a failed job whose log is `log`, and returns its run. */
async function fail(log: GiteaServer['log']): Promise<number> {
  gitea.log = log;
  runs += 1;
  await postFailedJob(product.baseUrl, team, { id: runs, step: 'Run npm test' });
  return runs;
}

const error = '\nError: it broke in the parser\n';
const long = 100 * 1024 * 1024;

for (const [name, log, expected] of [
  ['of one byte', 'x', /^x$/],
  ['without a line break', `${'y '.repeat(1_000_000)}Error: it broke`, /./],
  [
    'of invalid UTF-8',
    Buffer.concat([Buffer.from([0xff, 0xc0, 0x80, 0xed]), Buffer.from(error)]),
    /it broke/,
  ],
  ['of escape sequences', '\u001b[31m'.repeat(100_000) + error, /it broke/],
  [
    'of 100 MiB',
    ({ headers }, response) => {
      const start = Number(/^bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0);
      response.writeHead(start > 0 ? 206 : 200, { 'content-length': long - start });
      if (start === 0) return void response.flushHeaders();
      response.end(
        Buffer.concat([
          Buffer.alloc(long - start - error.length, `${'compiled '.repeat(12)}\n`),
          Buffer.from(error),
        ]),
      );
    },
    /it broke/,
  ],
  [
    'that is cut in the middle',
    (_request, response) => {
      response.writeHead(200, { 'content-length': '100000' });
      response.write(error, () => response.destroy());
    },
    /it broke/,
  ],
  [
    'behind a redirect',
    ({ url = '' }, response) =>
      url.startsWith('/stored-logs/')
        ? response.writeHead(200).end(error)
        : response.writeHead(302, { location: '/stored-logs/1' }).end(),
    /it broke/,
  ],
] as [string, GiteaServer['log'], RegExp][])
  test(`a log of Gitea ${name} is read with an access token`, async () => {
    const failure = await untilLogIs(team, await fail(log), 'read');
    assert.match(failure.errorLine, expected);
    assert.ok(failure.errorLine.length <= 500);
  });

test('a log that Gitea has deleted leaves the reason of the steps', async () => {
  const runId = await fail((_request, response) => response.writeHead(410).end('{}'));
  const failure = await untilLogIs(team, runId, 'unreadable');
  assert.equal(failure.errorLine, 'Step Run npm test failed');
});

test('a log that Gitea does not have yet, or refuses for a rate limit, is read later', async () => {
  for (const [status, headers] of [
    [404, {}],
    [429, { 'retry-after': '1' }],
  ] as const) {
    let asked = 0;
    const runId = await fail((_request, response) => {
      asked += 1;
      if (asked === 1) response.writeHead(status, headers).end('{}');
      else response.end(error);
    });
    await waitUntil('the first try', () => asked > 0);
    // A log that is not there yet is asked for again after some seconds.
    await waitUntil('the next try', async () => {
      await retryLogs(product.database, team.integrationId);
      return asked > 1;
    });
    const failure = await untilLogIs(team, runId, 'read');
    assert.match(failure.errorLine, /it broke/);
    assert.ok(asked > 1);
  }
});

test('reports in an artifact of Gitea are read with an access token', async () => {
  const content = Buffer.from('<testsuite><testcase name="adds"/></testsuite>');
  gitea.artifact = { name: 'junit', bytes: zipOf([{ name: 'junit.xml', content }]) };
  const at = new Date().toISOString();
  const repository = { id: 1, full_name: 'acme/site', default_branch: 'main' };
  const payload = runPayload({ id: 77, status: 'completed', conclusion: 'success', updated_at: at });
  await postWebhook(product.baseUrl, team, {
    event: 'workflow_run',
    payload: { ...payload, action: 'completed', repository },
  });
  await waitUntil('the report', async () => {
    const { body: tests } = await team.viewer.call('GET', team.path('/workflows/77/tests'));
    return (tests['reports'] as { job: string }[] | undefined)?.[0]?.job === 'junit';
  });
});
