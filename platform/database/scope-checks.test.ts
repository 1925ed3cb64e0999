import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RowScope } from '#platform/database/scope.ts';
import { invite } from '#test/support/team/invite.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { startTeamProduct } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { database, baseUrl, newTeam, person } = await startTeamProduct({}, ['api', 'worker']);
const [ours, theirs] = [await newTeam('Ours'), await newTeam('Theirs')];
const outsider = await person('outsider');

/** Tables of no integration that the api reads whole, and why. SECURITY.md has the list too. */
const readWhole: Record<string, string> = {
  users:
    'sign-in looks a person up before anything is known of them; names of former members stay in the event log',
  provider_state: 'of the built-in provider, found by several keys; bearer ids are hashes',
  provider_account: 'people of the built-in provider',
  signing_key: 'sealed',
  signed_out: 'asked for every session',
  session_refresh: 'found by the hash of a refresh token',
  ws_node: 'which processes hold sockets',
  mail_counts: 'numbers under keyed hashes, which tell neither an address nor an integration',
  person_usage:
    'how many bytes the integrations of each owner stored in a day, which each webhook is checked against',
  log_usage: 'how many bytes of logs each person or token read in a day, in all integrations',
  forge_budgets: 'numbers of the rate limit of each connection',
  forge_installations:
    'the forge tells of them before anybody links one, and several integrations may link the same',
  organization_members: 'of an installation, see above',
};

/** Every security-definer function that the api may call, as it would be called for data of `theirs`. */
const calls: Record<string, string> = {
  delivery_segments:
    'select segment_id from delivery_segments((select array_agg(n) from generate_series(1, 1000) n))',
  delivery_seq_at: 'select n from delivery_seq_at(now()) n where n is not null',
  dead_letter_drop: `select n from (select dead_letter_drop('${theirs.integrationId}', null) + dead_letter_drop(null, null) as n) d where n > 0`,
  dead_letter_redrive: `select n from (select dead_letter_redrive('${theirs.integrationId}', null, 9223372036854775807, 10, '1 day')
    + dead_letter_redrive(null, null, 9223372036854775807, 10, '1 day') as n) r where n > 0`,
};

/** The messages have no column that names the integration. */
const readMessages = 'select from queue_message';

/** Those that tell or change nothing of an integration's data, and why. */
const harmless: Record<string, string> = {
  count_tasks: 'totals of all integrations',
  queue_depth: 'totals of all integrations',
  queue_known:
    'whether a delivery id that the caller knows was queued: the SQS engine asks before it appends',
  queue_make_partitions: 'makes the partitions of tomorrow',
  queue_send: 'appends what ingress verified, before anybody is signed in',
};

const scopes: [string, RowScope][] = [
  ['without a scope', 'service'],
  ['in the scope of another integration', { integrationId: ours.integrationId }],
  ['in the scope of a person who belongs to none', { userId: outsider.userId }],
];

await theirs.member.call('POST', theirs.path('/notification-rules'), ruleBody());
await invite(theirs, 'ann@example.com', 'viewer');
await postWebhook(baseUrl, theirs, {
  event: 'workflow_run',
  payload: runPayload({ id: 1, status: 'completed', conclusion: 'failure' }),
});
await postWebhook(baseUrl, theirs, { event: 'workflow_run', payload: { action: 'broken' } });
const deadLetters = () =>
  database.asOwner('select message_id from dead_letter where group_id = $1', [theirs.integrationId]);
await waitUntil('a run to be stored and a message to be dead', async () => {
  const [row] = await database.asOwner<{ runs: number }>('select count(*)::int as runs from workflow_runs');
  return (row?.runs ?? 0) > 0 && (await deadLetters()).length > 0;
});

test('every table that the api reads is protected, or known to be of no integration', async () => {
  const open = await database.asOwner<{ name: string }>(
    `select c.relname as name from pg_class c
     where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
       and has_any_column_privilege('forgewatch_api', c.oid, 'select') and not c.relrowsecurity order by 1`,
  );
  assert.deepEqual(
    open.map(({ name }) => name),
    Object.keys(readWhole).sort(),
  );
});

test('every security-definer function that the api may call is tested here, or known to be harmless', async () => {
  const callable = await database.asOwner<{ name: string }>(
    `select distinct p.proname as name from pg_proc p
     where p.pronamespace = 'public'::regnamespace and p.prosecdef and has_function_privilege('forgewatch_api', p.oid, 'execute')
     order by 1`,
  );
  assert.deepEqual(
    callable.map(({ name }) => name),
    [...Object.keys(calls), ...Object.keys(harmless)].sort(),
  );
});

for (const [name, scope] of scopes) {
  test(`${name} the api sees nothing of an integration in any table or function`, async () => {
    const tables = await database.asOwner<{ name: string; key: string }>(
      `select c.relname as name, a.attname as key from pg_class c
       join pg_attribute a on a.attrelid = c.oid and a.attname in ('integration_id', 'group_id') and not a.attisdropped
       where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
         and has_column_privilege('forgewatch_api', c.oid, a.attnum, 'select')`,
    );
    const seen: string[] = [];
    for (const { name: table, key } of tables) {
      const { rowCount } = await database.api.withScope(scope, (tx) =>
        tx.query(`select from ${table} where ${key}::text = $1`, [theirs.integrationId]),
      );
      if (rowCount !== 0) seen.push(table);
    }
    for (const [name, text] of Object.entries({ ...calls, readMessages })) {
      const { rowCount } = await database.api.withScope(scope, (tx) => tx.query(text));
      if (rowCount !== 0) seen.push(name);
    }
    assert.deepEqual(seen, []);
    assert.equal((await deadLetters()).length, 1);
  });
}

test('in their own scope the api reads messages and dead letters, so that nothing above is empty by chance', async () => {
  for (const text of [readMessages, 'select message_id from dead_letter']) {
    const { rowCount } = await database.api.withScope({ integrationId: theirs.integrationId }, (tx) =>
      tx.query(text),
    );
    assert.ok((rowCount ?? 0) > 0, text);
  }
});
