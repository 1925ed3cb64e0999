import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import * as fc from 'fast-check';
import { startNotificationReceiver } from '#test/support/alerts/notification-receiver.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { secrets, tokens, type Secret } from '#test/support/data/arbitrary-secrets.ts';
import { failedRun, failureOf, reportRun } from '#test/support/forge/failed-log.ts';
import { newRepository, type Json } from '#test/support/forge/forge-repositories.ts';
import { startLinkedProduct } from '#test/support/forge/linked-team.ts';
import { integrationToken } from '#test/support/identity/token-client.ts';
import { startMailServer } from '#test/support/network/mail-server.ts';
import { fastestParent, makeEnterableDirectory } from '#test/support/product/enterable-directory.ts';
import { readMetrics } from '#test/support/product/operator-metrics.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const mailServer = await startMailServer();
const receiver = await startNotificationReceiver(10_000);
const { port } = new URL(receiver.url('/'));
const { directory, remove } = await makeEnterableDirectory('secrets', await fastestParent());
const linked = await startLinkedProduct({
  DATA_DIR: directory,
  SMTP_URL: mailServer.url,
  ALERT_ALLOWED_NETWORKS: '127.0.0.0/8',
  ALERT_ALLOWED_PORTS: `443,${port}`,
});
// Registered last, so that the product has stopped.
after(remove);
const { forge, product, newLinkedTeam } = linked;
const { baseUrl, publicUrl, database, program } = product;
const repository = newRepository('octo-org/secrets');
const team = await newLinkedTeam([repository]);
await team.provisioned();
const { integrationId, admin, member } = team;

/** Their branch has a rule. All channels show the same texts. */
const notified = 6;
const chats = ['slack', 'teams', 'discord', 'webhook'] as const;
await team.owner.call('POST', team.path('/notification-rules'), {
  ...ruleBody({ branches: { include: ['notified'], exclude: [] } }),
  channels: [
    ...chats.map((type) => ({ type, url: `https://127.0.0.1:${port}/${type}` })),
    { type: 'email', to: ['team@example.com'] },
  ],
});
await member.call('PUT', '/api/user/notifications', { enabled: true, integrationIds: null });

const seed = Math.floor(Math.random() * 2 ** 31);
const placed = Object.entries(secrets).map(([format, arbitrary], index) => {
  const [secret] = fc.sample(arbitrary, { numRuns: 1, seed: seed + index }) as [Secret];
  return { ...secret, format };
});
/** Each has three of the secrets, in different places. */
const failures = Array.from({ length: Math.ceil(placed.length / 3) }, (_, index) => ({
  ...failedRun(repository),
  own: placed.slice(index * 3, index * 3 + 3),
}));
const time = '2026-11-20T12:00:05.0000000Z ';

/** Writes the secrets wherever a forge passes on what programs print and people write. */
function place({ own, run, job }: (typeof failures)[number], index: number): void {
  const lines = own.map(({ text }) => `error: request failed: ${text}\nsent ${text}`);
  const log = [...lines, '##[error]Process completed with exit code 1.'].join('\n');
  repository.logs.set(job.id, log.replace(/^/gm, time));
  if (index % 2 === 0)
    repository.annotations.set(
      job.id,
      own.map(({ text }) => annotation(text)),
    );
  const [step] = (job as unknown as { steps: Json[] }).steps;
  const [attempt] = run.attempts as [Json];
  const branch = index < notified ? { head_branch: 'notified' } : {};
  const texts = own.map(({ text }) => text);
  const [prose = 'nothing', ...more] = own.filter(({ format }) => format in tokens).map(({ text }) => text);
  const workflow = `Workflow ${index} ${more.at(-1) ?? prose}`;
  Object.assign(step!, { name: `Run ${texts[index % texts.length]}` });
  Object.assign(job, { name: `Deploy with ${prose}`, workflow_name: workflow, ...branch });
  Object.assign(attempt, {
    workflow_id: 1000 + index,
    name: workflow,
    display_title: `Use ${more[0] ?? prose} again`,
    head_commit: { ...(attempt['head_commit'] as Json), message: `Rotate\n\nIt was ${prose} before.` },
    triggering_actor: { ...(attempt['actor'] as Json), login: 'member' },
    ...branch,
  });
}

const annotation = (text: string): Json => ({
  path: 'src/a.ts',
  blob_href: 'https://forge.example/a',
  start_line: 1,
  start_column: null,
  end_line: 1,
  end_column: null,
  annotation_level: 'failure',
  title: `failed: ${text}`,
  message: `refused ${text}`,
  raw_details: null,
});

/** The formats whose secret is in the text, also as the bytes of a column or a part of a mail. */
const leaksIn = (text: string): string[] =>
  placed
    .filter(({ parts }) =>
      parts.some((part) => text.includes(part) || text.includes(Buffer.from(part).toString('hex'))),
    )
    .map(({ format }) => format);

const assertNone = (where: string, text: string): void =>
  assert.deepEqual(leaksIn(text), [], `${where}, seed ${seed}`);

test('no secret of a log, annotation, step or title is in what is stored, shown or sent', async () => {
  for (const [index, one] of failures.entries()) {
    place(one, index);
    await reportRun(linked, team, repository, one);
  }
  const refused = failedRun(repository);
  repository.logs.set(refused.job.id, (_request, response) =>
    response.writeHead(302, { location: `https://10.0.0.1/log?sig=${placed[0]!.parts[0]}` }).end(),
  );
  await reportRun(linked, team, repository, refused);
  for (const { run } of failures)
    await waitUntil('the log to be read', async () => (await failureOf(team, run.id))?.log === 'read');
  await waitUntil('the redirect to be read', () =>
    forge.calls.some((call) => call.endsWith(`/stored-logs/${refused.job.id}`)),
  );
  const mailsTo = (address: string) => mailServer.mails.filter(({ to }) => to.includes(address));
  await waitUntil('all notifications', () => {
    const sent = [...chats.map((type) => receiver.callsTo(`/${type}`)), mailsTo('team@example.com')];
    return sent.every((calls) => calls.length >= notified) && mailsTo('member@example.com').length > 0;
  });

  for (const { path: to, body } of receiver.calls) assertNone(`a notification to ${to}`, body);
  for (const { to, source } of mailServer.mails) {
    const encoded = source.split(/\r\n\r\n|\r\n--/).map((part) => Buffer.from(part, 'base64').toString());
    const quoted = source.replaceAll('=\r\n', '').replaceAll('=3D', '=');
    assertNone(`a mail to ${to.join()}`, [source, quoted, ...encoded].join('\n'));
  }
  await pagesHaveNone();
  assertNone('the log', product.logged());
  for (const file of await readdir(path.join(directory, 'logs')))
    assertNone(`the log ${file}`, await readFile(path.join(directory, 'logs', file), 'utf8'));
  assertNone('the metrics', await readMetrics(baseUrl));
  await tablesHaveNone();
});

/** Every page of the API, except for the bodies of deliveries, which are shown as they were received. */
async function pagesHaveNone(): Promise<void> {
  const listed = async (rest: string, id: string): Promise<string[]> =>
    (await admin.call('GET', team.path(rest))).body.items.map((item) => String(item[id]));
  const ids: Record<string, string[]> = {
    runId: failures.map(({ run }) => String(run.id)),
    groupId: await listed('/failure-groups?limit=100', 'groupId'),
    ruleId: await listed('/notification-rules', 'ruleId'),
  };
  const workflows = await admin.call('GET', team.path('/notification-rules/known-workflows'));
  assert.ok(ids['groupId']!.length > 10);
  assert.equal(workflows.status, 200);
  const { token } = await integrationToken(product, team, 'viewer');
  const seen = new Set<string>();
  const read = async (name: string, address: string, init?: RequestInit): Promise<void> => {
    const answer = await admin.browser.fetch(publicUrl + address, init);
    if (answer.status === 200) seen.add(name);
    assertNone(address, await answer.text());
  };
  for (const { method, path: pattern } of program.routes) {
    if (method !== 'GET' || /:deliveryId|auth|oidc|metrics$/.test(pattern)) continue;
    const own = pattern.replace(':integrationId', integrationId);
    const [, param] = /:(\w+)/.exec(own) ?? [];
    for (const id of param === undefined ? [''] : (ids[param] ?? []))
      await read(pattern, own.replace(`:${param}`, id));
  }
  for (const query of ['/api/search/runs?q=error', team.path('/workflows?q=failed')])
    await read('search', query);
  await read('metrics', team.path('/metrics?granularity=day&groupBy=job'));
  for (const [name, args] of [
    ['why_run_failed', { runId: failures[0]!.run.id }],
    ['list_failure_groups', {}],
    ['list_failing_workflows', {}],
    ['list_run_tests', { runId: failures[0]!.run.id }],
    ['list_tests', {}],
    ['search_runs', {}],
  ] as const) {
    const params = { name, arguments: { integrationId, ...args } };
    await read('mcp', '/mcp', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    });
  }
  for (const name of [
    'workflows/:runId/failures',
    'failure-groups/:groupId',
    'incidents',
    ':ruleId/deliveries',
    'incidents.atom',
    'cctray.xml',
    'wallboard',
    'overview',
    'event-log',
    'search',
    'mcp',
  ])
    assert.ok(
      [...seen].some((pattern) => pattern.endsWith(name)),
      `${name} was read`,
    );
}

async function tablesHaveNone(): Promise<void> {
  const tables = await database.asOwner<{ name: string }>(
    `select quote_ident(relname) as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r'`,
  );
  assert.ok(tables.length > 40);
  for (const { name } of tables) {
    const rows = await database.asOwner<{ row: string }>(`select t::text as row from ${name} t`);
    assertNone(`the table ${name}`, rows.map(({ row }) => row).join('\n'));
  }
}
