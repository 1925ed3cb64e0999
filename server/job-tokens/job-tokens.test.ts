import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type JWTPayload } from 'jose';
import type { RunTests } from '#contract/tests/tests.ts';
import { repositoryOf, runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { runCommand } from '#test/support/product/run-command.ts';
import { makeTemporaryDirectory } from '#test/support/product/temporary-directory.ts';
import { answerOf, refused, startTeamProduct, type Answer, type Team } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
const other = await generateKeyPair('RS256', { extractable: true });

/** Paths that were asked of the forge. */
const asked: string[] = [];
const forge = createServer((request, response) => {
  void (async () => {
    const { pathname, searchParams } = new URL(request.url ?? '', url);
    asked.push(pathname);
    response.setHeader('content-type', 'application/json');
    if (pathname === '/api/actions/.well-known/openid-configuration')
      response.end(JSON.stringify({ issuer, jwks_uri: `${issuer}/.well-known/keys` }));
    else if (pathname === '/api/actions/.well-known/keys')
      response.end(JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256' }] }));
    else if (pathname === '/token' && request.headers.authorization === 'Bearer of-the-job')
      response.end(JSON.stringify({ value: await sign({ aud: searchParams.get('audience') ?? '' }) }));
    else response.writeHead(404).end('{}');
  })();
}).listen(0, '127.0.0.1');
await once(forge, 'listening');
forge.unref();
const { port } = forge.address() as AddressInfo;
const url = `http://127.0.0.1:${port}`;
const issuer = `${url}/api/actions`;

const product = await startTeamProduct(
  { ALERT_ALLOWED_NETWORKS: '127.0.0.0/8', ALERT_ALLOWED_PORTS: String(port) },
  ['api', 'worker'],
);
const now = (): number => Math.floor(Date.now() / 1000);
const run = 9001;
const site = { ...repositoryOf('acme/site'), html_url: `${url}/acme/site` };

function claimsOf(changes: JWTPayload): JWTPayload {
  return {
    iss: issuer,
    aud: product.publicUrl,
    sub: 'repo:acme/site:ref:refs/heads/main',
    repository: 'acme/site',
    repository_id: String(site.id),
    run_id: String(run),
    run_attempt: '1',
    iat: now() - 10,
    nbf: now() - 10,
    exp: now() + 300,
    ...changes,
  };
}

const sign = (changes: JWTPayload = {}, key = privateKey, kid = 'one'): Promise<string> =>
  new SignJWT(claimsOf(changes)).setProtectedHeader({ alg: 'RS256', kid, typ: 'JWT' }).sign(key);

async function newTeam(): Promise<Team> {
  const team = await product.newTeam();
  const payload = { ...runPayload({ id: run, status: 'in_progress', conclusion: null }), repository: site };
  assert.equal((await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload })).status, 200);
  await waitUntil('the run to be stored', async () => (await reports(team)) !== undefined);
  return team;
}

const reports = async (team: Team): Promise<RunTests['reports']> =>
  ((await team.viewer.call('GET', team.path(`/workflows/${run}/tests`))).body as unknown as RunTests).reports;

const report = '<testsuite><testcase name="adds"/></testsuite>';

async function upload(team: Team, token: string, query = ''): Promise<Answer> {
  const response = await fetch(`${product.publicUrl}/api/job/${team.integrationId}/test-reports${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/xml' },
    body: report,
  });
  return answerOf(response);
}

test('a job reports with its own token, for the run that the token names', async () => {
  const team = await newTeam();
  const answer = await upload(team, await sign(), '?job=unit&suite=fast');
  assert.deepEqual([answer.status, answer.body['status']], [201, 'stored'], JSON.stringify(answer.body));
  assert.deepEqual(
    (await reports(team)).map(({ job, suite }) => [job, suite]),
    [['unit', 'fast']],
  );
  refused(await upload(team, await sign(), '?run=9002'), 400, 'invalid_request');
  refused(await upload(team, await sign(), '?attempt=2'), 400, 'invalid_request');
  const second = await upload(team, await sign({ run_attempt: '2' }));
  assert.deepEqual([second.status, second.body['status']], [201, 'waiting'], 'of the second attempt');
  const list = await fetch(`${product.publicUrl}/api/job/${team.integrationId}/quarantine.json`, {
    headers: { authorization: `Bearer ${await sign()}` },
  });
  assert.deepEqual([list.status, await list.json()], [200, { items: [] }]);
});

test('a token that is not of a job of the integration is refused and stores nothing', async () => {
  const team = await newTeam();
  const fork = repositoryOf('mallory/site').id;
  const unsigned = new UnsecuredJWT(claimsOf({})).encode();
  const hmac = await new SignJWT(claimsOf({}))
    .setProtectedHeader({ alg: 'HS256', kid: 'one' })
    .sign(new TextEncoder().encode(JSON.stringify(await exportJWK(publicKey))));
  const whole = await sign();
  const [head = '', body = '', signature = ''] = whole.split('.');
  const changed = Buffer.from(JSON.stringify(claimsOf({ run_id: '1' }))).toString('base64url');
  const tokens: Record<string, string> = {
    'of another repository': await sign({ repository_id: '424242' }),
    'of a fork that calls itself the parent': await sign({
      repository_id: String(fork),
      repository: 'acme/site',
    }),
    'without the id of its repository': await sign({ repository_id: undefined }),
    expired: await sign({ exp: now() - 120, iat: now() - 900, nbf: now() - 900 }),
    'without an end': await sign({ exp: undefined }),
    'of the future': await sign({ iat: now() + 600, nbf: now() + 600 }),
    'for another audience': await sign({ aud: 'https://github.com/acme' }),
    'without an audience': await sign({ aud: undefined }),
    'of another issuer with this repository id': await sign({
      iss: 'https://token.actions.githubusercontent.com',
    }),
    'of an address that is no issuer': await sign({ iss: `${url}/evil` }),
    'signed by another key': await sign({}, other.privateKey),
    'signed by an unknown key': await sign({}, other.privateKey, 'two'),
    'with the algorithm none': unsigned,
    'signed with the public key as a secret': hmac,
    changed: `${head}.${changed}.${signature}`,
    'without a signature': `${head}.${body}.`,
    empty: '',
    'of no run': await sign({ run_id: undefined }),
  };
  for (const [name, token] of Object.entries(tokens)) {
    const answer = await upload(team, token);
    assert.deepEqual([answer.status, answer.body.code], [401, 'invalid_job_token'], name);
  }
  assert.deepEqual(await reports(team), []);
  const foreign = await product.newTeam();
  refused(await upload(foreign, whole), 401, 'invalid_job_token');
});

const parent = { ...repositoryOf('acme/parent'), html_url: `${url}/acme/parent` };

async function startRunOfParent(team: Team, id: number): Promise<void> {
  const payload = { ...runPayload({ id, status: 'in_progress' }), repository: parent };
  await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload });
  const ofParent = async () => (await team.viewer.call('GET', team.path(`/workflows/${id}`))).status;
  await waitUntil('the run of the parent to be stored', async () => (await ofParent()) === 200);
}

test('a job cannot report into the run of another repository', async () => {
  const team = await newTeam();
  await startRunOfParent(team, 9100);
  refused(await upload(team, await sign({ run_id: '9100' })), 404, 'run_unknown');
});

test('a report that waited for a run of another repository than that of its job is dropped', async () => {
  const team = await newTeam();
  const answer = await upload(team, await sign({ run_id: '9200' }));
  assert.deepEqual([answer.status, answer.body['status']], [201, 'waiting']);
  await startRunOfParent(team, 9200);
  const entries = async () => {
    const { body } = await team.admin.call('GET', team.path('/event-log'));
    return body.items.filter(({ type }) => type === 'test_report.dropped').map(({ title }) => String(title));
  };
  await waitUntil('the report to be dropped', async () => (await entries()).length === 1);
  assert.match((await entries())[0] ?? '', /run 9200 was dropped.*another repository/);
  const { body } = await team.viewer.call('GET', team.path('/workflows/9200/tests'));
  assert.deepEqual((body as unknown as RunTests).reports, []);
});

test('addresses of forges that an integration does not know are not asked', async () => {
  const team = await product.newTeam();
  asked.length = 0;
  refused(await upload(team, await sign()), 401, 'invalid_job_token');
  assert.deepEqual(asked, []);
});

test('the client gets the token from the forge when the job has no secret', async () => {
  const team = await newTeam();
  const directory = await makeTemporaryDirectory();
  const file = path.join(directory, 'junit.xml');
  await writeFile(file, report);
  const env = {
    XDG_CONFIG_HOME: directory,
    FORGEWATCH_URL: `${product.publicUrl}/`,
    FORGEWATCH_TOKEN: '',
    FORGEWATCH_INTEGRATION: team.integrationId,
    GITHUB_ACTIONS: '',
    GITHUB_RUN_ID: String(run),
    GITHUB_RUN_ATTEMPT: '1',
    GITHUB_REPOSITORY: 'acme/site',
    GITHUB_JOB: 'unit',
    ACTIONS_ID_TOKEN_REQUEST_URL: `${url}/token?api-version=2.0`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'of-the-job',
  };
  const { code, stdout, stderr } = await runCommand(['report', '--strict', file], env);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /1 test; stored/);
  assert.equal((await reports(team)).length, 1);
  const failing = path.join(directory, 'failing.xml');
  await writeFile(failing, '<testsuite><testcase name="adds"><failure/></testcase></testsuite>');
  const gate = await runCommand(['gate', failing], env);
  assert.deepEqual([gate.code, gate.stderr], [1, '']);
});
