import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { testStates, type RunTests, type TestDetail } from '#contract/tests/tests.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { integrationToken, personalToken } from '#test/support/identity/token-client.ts';
import { startTeamProduct } from '#test/support/team/team.ts';
import { failed, passed, reportSender, xml } from '#test/support/team/test-reports.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { requestOf, tools } from './tools.ts';

const product = await startTeamProduct({}, ['api', 'worker']);
const { publicUrl, baseUrl } = product;
const team = await product.newTeam('Shop');
const { integrationId } = team;
const runs = [
  runPayload({ id: 1, name: 'CI', head_branch: 'main', status: 'completed', conclusion: 'failure' }),
  runPayload({ id: 2, name: 'Deploy', head_branch: 'topic', status: 'in_progress' }),
];
for (const payload of runs) await postWebhook(baseUrl, team, { event: 'workflow_run', payload });
await waitUntil('both runs to be stored', async () => {
  const { body } = await team.viewer.call('GET', team.path('/workflows'));
  return body.items.length === 2;
});

/** The official client, as editors and agents use it. */
async function connect(token: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', publicUrl), { requestInit }));
  return client;
}

interface Result {
  isError: boolean;
  text: string;
}

async function callTool(client: Client, name: string, args: Record<string, unknown>): Promise<Result> {
  const { isError = false, content, structuredContent } = await client.callTool({ name, arguments: args });
  const [first] = content as { type: string; text: string }[];
  if (structuredContent !== undefined) assert.deepEqual(structuredContent, JSON.parse(first?.text ?? ''));
  else assert.doesNotMatch(first?.text ?? '', /^\{/);
  return { isError, text: first?.text ?? '' };
}

const read = async (client: Client, name: string, args: Record<string, unknown>) => {
  const { isError, text } = await callTool(client, name, args);
  assert.equal(isError, false, text);
  return JSON.parse(text) as { items: Record<string, unknown>[]; [field: string]: unknown };
};

const readOnly = await connect((await personalToken(product, team.viewer, { scopes: ['read'] })).token);

test('the official client lists the tools and reads with a token that may only read', async () => {
  const { tools } = await readOnly.listTools();
  const names = tools.map(({ name }) => name);
  for (const name of ['search_runs', 'why_run_failed', 'get_failure_group', 'get_pull_request_checks'])
    assert.ok(names.includes(name), name);
  assert.deepEqual(
    tools.filter(({ annotations }) => annotations?.readOnlyHint !== true).map(({ name }) => name),
    ['change_incident', 'rerun'],
  );

  const { items } = await read(readOnly, 'list_integrations', {});
  assert.deepEqual(
    items.map((one) => [one['integrationId'], one['label']]),
    [[integrationId, 'Shop']],
  );
  const failed = await read(readOnly, 'search_runs', { integrationId, conclusion: 'failure' });
  assert.deepEqual(
    failed.items.map(({ runId }) => runId),
    [1],
  );
  const { run } = await read(readOnly, 'get_run', { integrationId, runId: 2 });
  assert.equal((run as { workflowName: string }).workflowName, 'Deploy');
  await read(readOnly, 'home', {});
  await read(readOnly, 'get_health', { integrationId });
  await read(readOnly, 'get_queue', { integrationId });
  await read(readOnly, 'list_failing_workflows', { integrationId });
  await read(readOnly, 'why_run_failed', { integrationId, runId: 1 });
  await read(readOnly, 'list_failure_groups', { integrationId });
  await read(readOnly, 'find_pull_requests', { integrationId });
  await read(readOnly, 'get_metrics', {
    integrationId,
    from: '2026-01-01T00:00:00Z',
    to: '2026-01-02T00:00:00Z',
    granularity: 'hour',
  });
});

test('tests are read: those that failed in a run, the flaky ones, and the history of one', async () => {
  const member = await connect((await personalToken(product, team.member, { scopes: ['read'] })).token);
  const flaky = '<testcase name="shaky"><flakyFailure message="timeout"/></testcase>';
  const report = xml(failed('sums prices', 'expected 3'), passed('other'), flaky);
  assert.equal((await reportSender(product).upload(team, { run: 1 }, report)).status, 201);
  const ofRun = (await read(member, 'list_run_tests', { integrationId, runId: 1 })) as unknown as RunTests;
  assert.deepEqual(
    ofRun.tests.map(({ name, message }) => [name, message]),
    [
      ['sums prices', 'expected 3'],
      ['shaky', 'timeout'],
    ],
  );
  const { items } = await read(member, 'list_tests', { integrationId, q: 'shak' });
  assert.deepEqual(
    items.map(({ name }) => name),
    ['shaky'],
  );
  const { description = '' } = (await member.listTools()).tools.find(({ name }) => name === 'list_tests')!;
  for (const state of testStates) assert.match(description, new RegExp(`\\b${state}\\b`));
  const { testId } = ofRun.tests[0]!;
  const detail = (await read(member, 'get_test', { integrationId, testId })) as unknown as TestDetail;
  assert.deepEqual([detail.state, detail.messages[0]?.message], ['broken', 'expected 3']);
  const foreign = await callTool(member, 'get_test', { integrationId, testId: integrationId });
  assert.match(foreign.text, /not_found/);
});

test('a tool allows what the API allows to the token, and says why not', async () => {
  const rerun = { integrationId, runId: 1, scope: 'all' };
  const withoutWrite = await callTool(readOnly, 'rerun', rerun);
  assert.deepEqual([withoutWrite.isError, /insufficient_scope/.test(withoutWrite.text)], [true, true]);
  const viewer = await connect((await personalToken(product, team.viewer)).token);
  assert.match((await callTool(viewer, 'rerun', rerun)).text, /insufficient_role/);
  const member = await connect((await integrationToken(product, team, 'member')).token);
  assert.match((await callTool(member, 'rerun', rerun)).text, /forge_not_connected/);

  const outsider = await connect((await personalToken(product, await product.person('outsider'))).token);
  const foreign = await callTool(outsider, 'search_runs', { integrationId });
  assert.match(foreign.text, /insufficient_role/);
  assert.match((await callTool(readOnly, 'get_run', { integrationId, runId: 99 })).text, /not_found/);
});

test('arguments that do not match the schema of a tool are refused before the API is asked', async () => {
  const wrong: Record<string, unknown>[] = [
    {},
    { integrationId: '../../user' },
    { integrationId, runId: '1/failures' },
    { integrationId, runId: 1, extra: true },
    { integrationId, runId: -1 },
  ];
  for (const args of wrong) {
    const refused = await callTool(readOnly, 'get_run', args).catch((error: unknown) => ({
      isError: true,
      text: String(error),
    }));
    assert.equal(refused.isError, true, JSON.stringify(args));
  }
});

const post = (
  headers: Record<string, string>,
  body: unknown = { jsonrpc: '2.0', id: 1, method: 'tools/list' },
) =>
  fetch(new URL('/mcp', publicUrl), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

test('without a valid token nothing is answered', async () => {
  for (const headers of [{}, { authorization: 'Bearer fw_no' }] as Record<string, string>[]) {
    const answer = await post(headers);
    assert.equal(answer.status, 401);
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer realm="Forgewatch"');
    assert.deepEqual(Object.keys((await answer.json()) as object).includes('result'), false);
  }
  await assert.rejects(connect('fw_no'));
});

test('other messages have an answer that clients understand, and no connection stays open', async () => {
  const { token } = await personalToken(product, team.viewer);
  const headers = { authorization: `Bearer ${token}` };
  for (const method of ['GET', 'DELETE'])
    assert.equal((await fetch(new URL('/mcp', publicUrl), { method, headers })).status, 405, method);
  assert.equal((await post(headers, '[')).status, 400);
  assert.equal((await post(headers, { jsonrpc: '2.0', id: 1, method: 'x'.repeat(300) })).status, 400);
  assert.equal((await post(headers, { jsonrpc: '2.0', method: 'notifications/initialized' })).status, 202);
  const unknown = await post(headers, { jsonrpc: '2.0', id: 7, method: 'prompts/list' });
  assert.match(await unknown.text(), /"code":-32601/);
  for (const method of ['subscriptions/listen', 'ping', 'resources/subscribe']) {
    const answer = await post(headers, { jsonrpc: '2.0', id: 8, method, params: {} });
    assert.ok((await answer.text()).length > 0, method);
  }
});

test('a client that names no media type, any or JSON alone is answered', async () => {
  const { token } = await personalToken(product, team.viewer);
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const json = { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: '*/*' };
  const withSlash = { method: 'POST', headers: json, body: JSON.stringify(message) };
  assert.equal((await fetch(new URL('/mcp/', publicUrl), withSlash)).status, 200);
  for (const accept of ['*/*', 'application/json', '']) {
    const answer = await post({ authorization: `Bearer ${token}`, accept });
    assert.equal(answer.status, 200, accept);
    assert.match(await answer.text(), /"search_runs"/, accept);
    if (accept === 'application/json')
      assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
  }
});

test('lists have ten rows unless a limit is given', () => {
  const tool = tools.find(({ name }) => name === 'search_runs') ?? assert.fail();
  assert.match(requestOf(tool, { integrationId, q: 'x' }).url, /\?limit=10&q=x$/);
  assert.match(requestOf(tool, { integrationId, limit: 50 }).url, /\?limit=50$/);
});
