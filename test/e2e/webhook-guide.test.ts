import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { eventWebhookTypes, webhookTypes } from '#contract/integrations/webhook-types.ts';
import { freePort } from '#platform/runtime/processes/free-port.ts';
import {
  startNotificationReceiver,
  typeOf,
  type ReceivedCall,
} from '#test/support/alerts/notification-receiver.ts';
import { endOfRun } from '#test/support/alerts/alert-program.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { failedJob } from '#test/support/data/failed-job.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { personalToken } from '#test/support/identity/token-client.ts';
import { referenceSchemas } from '#test/support/product/reference-schemas.ts';
import { accept, invite } from '#test/support/team/invite.ts';
import { startTeamProduct } from '#test/support/team/team.ts';
import { failed, reportSender, xml } from '#test/support/team/test-reports.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { makeTemporaryDirectory } from '#test/support/product/temporary-directory.ts';

const run = promisify(execFile);
const root = path.join(import.meta.dirname, '../..');
const guide = await readFile(path.join(root, 'docs/guide/webhooks.md'), 'utf8');
const blockOf = (language: string): string =>
  new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(guide)?.[1] ?? '';

const receiver = await startNotificationReceiver(60_000);
const product = await startTeamProduct(
  { ALERT_ALLOWED_NETWORKS: '127.0.0.1/32', ALERT_ALLOWED_PORTS: `443,${receiver.port}` },
  ['api', 'worker'],
);
const team = await product.newTeam('Guide');
const urlOf = (at: string): string => `https://127.0.0.1:${receiver.port}${at}`;
const received = (type: string, at = '/all'): ReceivedCall[] =>
  receiver.callsTo(at).filter((call) => typeOf(call) === type);

const post = (event: string, payload: object) => postWebhook(product.baseUrl, team, { event, payload });

/** Returns the signing secret, after a test, which says that the worker knows the subscription. */
async function subscribe(at = '/all'): Promise<string> {
  const body = { name: 'All', url: urlOf(at), eventTypes: eventWebhookTypes };
  const made = await team.admin.call('POST', team.path('/webhook-subscriptions'), body);
  assert.equal(made.status, 201, JSON.stringify(made.body));
  await team.admin.call(
    'POST',
    team.path(`/webhook-subscriptions/${String(made.body['subscriptionId'])}/test`),
  );
  await waitUntil('the test', () => received('test', at).length > 0);
  return String(made.body['signingSecret']);
}

test('a sent webhook of each type matches the API reference', async () => {
  await subscribe();
  const rule = ruleBody({
    notify: 'every_failure',
    cooldownMinutes: 0,
    channels: [{ type: 'webhook', url: urlOf('/all') }],
  });
  const { body } = await team.member.call('POST', team.path('/notification-rules'), rule);
  await team.member.call('POST', team.path(`/notification-rules/${String(body['ruleId'])}/test`));
  for (const [id, conclusion, type] of [
    [1, 'failure', 'incident.opened'],
    [2, 'failure', 'incident.failed_again'],
    [3, 'success', 'incident.closed'],
  ] as const) {
    await post('workflow_run', endOfRun(id, conclusion, id * 10));
    await waitUntil(type, () => received(type).length > 0);
  }
  await post('workflow_job', failedJob({ id: 9 }).job);
  const digest = {
    watch: 'weekly_digest' as const,
    channels: [{ type: 'webhook' as const, url: urlOf('/all') }],
  };
  const { body: saved } = await team.member.call('POST', team.path('/notification-rules'), ruleBody(digest));
  await team.member.call('POST', team.path(`/notification-rules/${String(saved['ruleId'])}/test`));
  const { startRun, upload } = reportSender(product);
  const { id: reported } = await startRun(team);
  const flaky = '<testcase name="ships"><flakyFailure/></testcase>';
  assert.equal((await upload(team, { run: reported }, xml(failed('pays'), flaky))).status, 201);
  const newcomer = await product.person('newcomer');
  const { token } = await invite(team, null);
  assert.equal((await accept(newcomer, token)).status, 200);
  const member = team.path(`/members/${newcomer.userId}`);
  assert.equal((await team.owner.call('PATCH', member, { role: 'viewer' })).status, 204);
  assert.equal((await team.owner.call('DELETE', member)).status, 204);
  for (const type of webhookTypes) await waitUntil(type, () => received(type).length > 0);

  const api = (await (await fetch(`${product.baseUrl}/openapi.json`)).json()) as { webhooks: object };
  assert.deepEqual(Object.keys(api.webhooks).sort(), webhookTypes.toSorted());
  const check = referenceSchemas(api);
  for (const call of receiver.calls) {
    const at = ['webhooks', typeOf(call), 'post', 'requestBody', 'content', 'application/json', 'schema'];
    assert.equal(check(at, JSON.parse(call.body)), undefined, call.body);
  }
});

test('the curl command of the webhook guide creates a subscription', async () => {
  const { token } = await personalToken(product, team.admin);
  const env = {
    ...process.env,
    FORGEWATCH_URL: product.publicUrl,
    FORGEWATCH_TOKEN: token,
    INTEGRATION: team.integrationId,
  };
  const { stdout } = await run('sh', ['-c', blockOf('sh')], { env });
  const { host, signingSecret } = JSON.parse(stdout) as { host: string; signingSecret: string };
  assert.equal(host, 'hooks.example.com');
  assert.match(signingSecret, /^whsec_/);
});

/** Starts the documented receiver and returns what it printed. */
async function startReceiver(secret: string, port: number): Promise<() => string> {
  const directory = await makeTemporaryDirectory();
  await symlink(path.join(root, 'node_modules'), path.join(directory, 'node_modules'));
  const file = path.join(directory, 'receive.mjs');
  await writeFile(file, blockOf('js'));
  const child = spawn(process.execPath, [file], {
    env: { ...process.env, SIGNING_SECRET: secret, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  after(() => void child.kill('SIGKILL'));
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  return () => printed;
}

test('the receiver of the webhook guide handles a genuine webhook once and refuses a changed one', async () => {
  const secret = await subscribe('/one');
  await post('workflow_run', endOfRun(4, 'success', 40));
  const sent = await waitUntil('the run', () =>
    received('run.completed', '/one').find(({ body }) => body.includes('"runId":4,')),
  );
  const port = await freePort();
  const printed = await startReceiver(secret, port);
  const pass = async (body: string): Promise<number | undefined> => {
    const headers = Object.entries(sent.headers).filter(([name]) => name.startsWith('webhook-'));
    const init = { method: 'POST', headers: Object.fromEntries(headers) as Record<string, string>, body };
    return fetch(`http://127.0.0.1:${port}`, init).then(
      ({ status }) => status,
      () => undefined,
    );
  };
  assert.equal(await waitUntil('the receiver', () => pass(sent.body)), 204);
  assert.equal(await pass(sent.body), 204, 'a repeated one');
  assert.equal(await pass(sent.body.replace('success', 'failure')), 400);
  assert.deepEqual(printed().match(/run\.completed/g), ['run.completed']);
});
