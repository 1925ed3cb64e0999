import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobPayload, runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { refused, startTeamProduct, type Team } from '#test/support/team/team.ts';
import { readOpenMetrics } from '#test/support/formats/open-metrics.ts';
import { integrationToken } from '#test/support/identity/token-client.ts';
import { samplesOf } from '#test/support/traces/decode-metrics.ts';
import { startTraceTargets, type MetricRequest } from '#test/support/traces/trace-target.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { countRows, storedText } from '#test/support/database/rows.ts';

const targets = await startTraceTargets();
const product = await startTeamProduct(
  { ALERT_ALLOWED_NETWORKS: '127.0.0.1/32', ALERT_ALLOWED_PORTS: `443,${targets.port}` },
  ['api', 'worker'],
);
const { baseUrl, newTeam, database } = product;

/** People may save 20 times a minute. */
const save = (team: Team, body: object, by: 'admin' | 'owner' = 'admin') =>
  team[by].call('PUT', team.path('/trace-export'), body);
const read = async (team: Team) => {
  const { status, body } = await team.admin.call('GET', team.path('/trace-export'));
  assert.equal(status, 200);
  return body['export'] as Record<string, unknown> | null;
};
const secret = { name: 'Authorization', value: 'Bearer hush' };

test('a run that webhooks report arrives at the target of its integration, with the secret headers', async () => {
  const target = targets.newTarget();
  const [team, other] = [await newTeam(), await newTeam()];
  assert.equal(await read(team), null);
  assert.equal((await save(team, { url: target.url, enabled: true, headers: [secret] })).status, 204);
  const now = new Date().toISOString();
  for (const each of [team, other]) {
    const ended = { status: 'completed', conclusion: 'failure', created_at: now, updated_at: now };
    const job = { ...ended, started_at: now, completed_at: now };
    await postWebhook(baseUrl, each, { event: 'workflow_job', payload: jobPayload(job) });
    await postWebhook(baseUrl, each, {
      event: 'workflow_run',
      payload: runPayload({ ...ended, name: 'CI', display_title: 'mail ann@example.com' }),
    });
  }
  await waitUntil('the trace', () => target.accepted.length > 0);
  assert.deepEqual(
    target.accepted.map(({ name }) => name),
    ['CI', 'build', 'queue-build'],
  );
  assert.equal(target.requests[0]!.headers['authorization'], 'Bearer hush');
  assert.doesNotMatch(JSON.stringify(target.accepted), /ann@example\.com/);
  const state = await waitUntil('the state', async () => {
    const found = await read(team);
    return found?.['lastSuccessAt'] !== null && found;
  });
  assert.deepEqual(
    [state!['url'], state!['headerNames'], state!['waiting'], state!['lastProblem']],
    [target.url, ['authorization'], 0, null],
  );
});

test('headers are never shown and never stored in the clear', async () => {
  const team = await newTeam();
  await save(team, { url: targets.newTarget().url, enabled: true, headers: [secret] });
  const { body } = await team.admin.call('GET', team.path('/trace-export'));
  const log = await team.admin.call('GET', team.path('/event-log'));
  const stored = await storedText(database, 'trace_exports', { integration_id: team.integrationId });
  assert.doesNotMatch(JSON.stringify([body, log.body]) + stored + product.logged(), /hush/);
  assert.ok(log.body.items.some(({ type }) => type === 'trace_export.saved'));
});

test('saved headers are kept for the same server and must be entered again for another', async () => {
  const target = targets.newTarget();
  const team = await newTeam();
  await save(team, { url: 'https://otlp.example.com', enabled: false, headers: [secret] });
  const elsewhere = await save(team, { url: target.url, enabled: true });
  assert.deepEqual(elsewhere.body['errors'], [
    { field: 'headers', message: 'must be entered again, because the URL names another server' },
  ]);
  assert.equal((await save(team, { url: 'https://otlp.example.com/otlp', enabled: true })).status, 204);
  assert.deepEqual((await read(team))!['headerNames'], ['authorization']);
  assert.equal((await save(team, { url: target.url, enabled: true, headers: [] })).status, 204);
  assert.deepEqual((await read(team))!['headerNames'], []);
});

test('a URL is kept as the base of OTLP, and one that must not be called is refused', async () => {
  const team = await newTeam();
  const { url } = targets.newTarget();
  await save(team, { url: `${url}/v1/traces/`, enabled: false });
  assert.equal((await read(team))!['url'], url);
  for (const wrong of [
    'otlp.example.com',
    'http://otlp.example.com',
    'https://10.0.0.1',
    'https://otlp.example.com:9999',
    'https://user:pass@otlp.example.com',
    'https://otlp.example.com/?key=secret',
  ]) {
    const answer = await save(team, { url: wrong, enabled: true }, 'owner');
    const [fault] = answer.body['errors'] as { field: string }[];
    assert.deepEqual([answer.status, fault!.field], [400, 'url'], wrong);
  }
});

test('headers that HTTP sets, twins and line breaks are refused', async () => {
  const team = await newTeam();
  const url = 'https://otlp.example.com';
  for (const headers of [
    [{ name: 'Host', value: 'a' }],
    [{ name: 'Content-Length', value: '1' }],
    [
      { name: 'x', value: 'a' },
      { name: 'X', value: 'b' },
    ],
    [{ name: 'x', value: 'a\r\nx-b: c' }],
    [{ name: '__proto__', value: 'a' }],
    [{ name: 'x', value: ' ' }],
  ])
    refused(await save(team, { url, enabled: true, headers }, 'owner'), 400, 'invalid_request');
});

test('a test says what the target answers, and nothing is exported before', async () => {
  const target = targets.newTarget();
  const team = await newTeam();
  const send = () => team.admin.call('POST', team.path('/trace-export/test'));
  refused(await send(), 404, 'not_found');
  await save(team, { url: target.url, enabled: false, headers: [secret] });
  const good = await send();
  assert.deepEqual([good.body['sent'], good.body['statusCode'], good.body['problem']], [true, 200, null]);
  assert.equal(target.requests[0]!.headers['authorization'], 'Bearer hush');
  assert.equal(target.accepted[0]!.name, 'Forgewatch test');
  target.answerWith((response) => response.writeHead(401).end('no such key: hush'));
  const bad = await send();
  assert.deepEqual(
    [bad.body['sent'], bad.body['statusCode'], bad.body['problem']],
    [false, 401, 'The target answered 401.'],
  );
});

test('metrics are sent with the values of metrics.txt, and a test says when the target takes none', async () => {
  const target = targets.newTarget();
  const team = await newTeam();
  const { token } = await integrationToken(product, team, 'viewer');
  const authorization = `Basic ${Buffer.from(`prometheus:${token}`).toString('base64')}`;
  const begin = Date.now() - 600_000;
  const at = (seconds: number) => new Date(begin + seconds * 1000).toISOString();
  const times = { created_at: at(0), run_started_at: at(0) };
  const failed = { status: 'completed', conclusion: 'failure', updated_at: at(40) };
  for (const run of [
    { id: 1, name: 'CI "quoted"', ...failed, conclusion: 'success' },
    { id: 2, name: 'CI "quoted"', ...failed, updated_at: at(90) },
    { id: 3, name: 'Deploy', status: 'in_progress' },
  ])
    await postWebhook(baseUrl, team, { event: 'workflow_run', payload: runPayload({ ...times, ...run }) });
  for (const job of [
    {
      id: 1,
      run_id: 1,
      status: 'completed',
      conclusion: 'success',
      started_at: at(20),
      completed_at: at(40),
    },
    { id: 2, run_id: 3, status: 'queued' },
  ])
    await postWebhook(baseUrl, team, {
      event: 'workflow_job',
      payload: jobPayload({ created_at: at(0), ...job }),
    });
  const shown = await waitUntil('all to be stored', async () => {
    const answer = await fetch(baseUrl + team.path('/metrics.txt'), { headers: { authorization } });
    const samples = readOpenMetrics(await answer.text()).flatMap((family) => family.samples);
    const total = (name: string) =>
      samples.filter((one) => one.name === name).reduce((sum, { value }) => sum + value, 0);
    const isStored =
      total('forgewatch_pipeline_runs_total') === 2 &&
      total('cicd_pipeline_run_active') === 1 &&
      total('forgewatch_pipeline_task_queue_duration_seconds_count') === 1 &&
      total('forgewatch_pipeline_task_active') === 1;
    return isStored && samples;
  });
  await save(team, { url: target.url, enabled: true, metrics: true, headers: [secret] });
  await waitUntil('metrics', () => target.metricRequests.length > 0);
  const [{ headers, metrics }] = target.metricRequests as [MetricRequest];
  assert.equal(headers['authorization'], 'Bearer hush');
  assert.deepEqual(metrics.flatMap(samplesOf), shown);
  const state = await waitUntil('the state', async () => {
    const found = (await read(team))!['metrics'] as Record<string, unknown>;
    return found['lastSuccessAt'] !== null && found;
  });
  assert.deepEqual([state['lastFailureAt'], state['lastProblem']], [null, null]);
  target.answerMetricsWith((response) => response.writeHead(404).end());
  const { body } = await team.admin.call('POST', team.path('/trace-export/test'));
  assert.deepEqual(
    [body['sent'], body['statusCode'], body['problem']],
    [false, 404, 'Metrics: The target answered 404.'],
  );
  await save(team, { url: target.url, enabled: true });
  assert.equal((await read(team))!['metrics'], null);
});

test('the rejected part of a request is shown', async () => {
  const target = targets.newTarget();
  const team = await newTeam();
  await save(team, { url: target.url, enabled: false });
  // partial_success { rejected_spans: 1 error_message: "no" }
  const answer = Buffer.from([0x0a, 0x06, 0x08, 0x01, 0x12, 0x02, 0x6e, 0x6f]);
  target.answerWith((response) =>
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end(answer),
  );
  const { body } = await team.admin.call('POST', team.path('/trace-export/test'));
  assert.deepEqual(
    [body['sent'], body['problem']],
    [true, 'The target accepted a request and rejected 1 of its spans.'],
  );
});

test('a removed export forgets the runs that wait, and its target gets no more', async () => {
  const target = targets.newTarget();
  target.answerWith((response) => response.writeHead(503).end());
  const team = await newTeam();
  await save(team, { url: target.url, enabled: true });
  const now = new Date().toISOString();
  const ended = { status: 'completed', conclusion: 'success', created_at: now, updated_at: now };
  await postWebhook(baseUrl, team, { event: 'workflow_run', payload: runPayload(ended) });
  await waitUntil('a failure', async () => (await read(team))!['lastFailureAt'] !== null);
  assert.equal((await read(team))!['waiting'], 1);
  assert.equal((await team.admin.call('DELETE', team.path('/trace-export'))).status, 204);
  assert.equal(await read(team), null);
  assert.equal(await countRows(database, 'trace_export_runs', { group_id: team.integrationId }), 0);
});
