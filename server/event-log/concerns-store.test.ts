import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { EntryType, Severity } from '#contract/deliveries/event-log.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { addPerson, addToTeam } from '#test/support/team/people.ts';
import { plansOf } from '#test/support/database/query-plans.ts';
import { recordLogEntry } from './add-entry.ts';
import { readLog } from './read-log.ts';

const database = await createTestDatabase();
const integrationId = await insertIntegration(database);
const person = async (login: string, role: 'viewer' | 'admin' = 'viewer') => {
  const userId = await addPerson(database, { name: login, forgeLogin: login, email: `${login}@Example.com` });
  await addToTeam(database, integrationId, userId, role);
  return userId;
};
const ann = await person('Ann');
const bob = await person('bob');
const admin = await person('admin', 'admin');
const everybody = { ann, bob, admin };
const [incidentId, otherIncident, ruleId] = [randomUUID(), randomUUID(), randomUUID()];

/** Ann owns the repository acme/site, and Bob its workflow Deploy. */
await database.asOwner(
  `insert into workflow_owners (integration_id, repository, workflow, user_id)
   values ($1, 'acme/site', '', $2), ($1, 'acme/site', 'Deploy', $3)`,
  [integrationId, ann, bob],
);
await database.asOwner(
  `insert into workflow_runs (integration_id, run_id, attempt, version, repository, status, on_default_branch, created_at, pull_requests,
     workflow_name, actor, triggering_actor)
   select $1, n, 1, '', repository, 'completed', false, now(), pulls, workflow, actor, again
   from (values (1, 'acme/shop', '{}'::bigint[], 'CI', 'ANN', 'eve'), (2, 'acme/shop', '{}', 'CI', 'eve', 'ann'),
     (3, 'acme/shop', '{5}', 'CI', 'eve', 'eve'), (4, 'acme/shop', '{}', 'CI', 'eve', 'eve'),
     (5, 'acme/site', '{5}', 'CI', 'eve', 'eve'), (6, 'acme/site', '{}', 'Deploy', 'eve', null))
     r (n, repository, pulls, workflow, actor, again)`,
  [integrationId],
);
await database.asOwner(
  `insert into pull_requests (integration_id, repository, number, version, draft, merged, labels, author)
   values ($1, 'acme/shop', 5, '', false, false, '{}', 'Bob')`,
  [integrationId],
);
await database.asOwner(
  `insert into incidents (integration_id, incident_id, branch_key, repository, workflow, opened_at, failed_runs, failed_jobs,
     first_failure, last_failure, acknowledged_by, assignee_id)
   values ($1, $2, '\\x01', 'acme/shop', 'CI', now(), 1, 1, '{}', '{}', $4, $5),
     ($1, $3, '\\x02', 'acme/site', 'CI', now(), 1, 1, '{}', '{}', null, null)`,
  [integrationId, incidentId, otherIncident, ann, bob],
);
await database.asOwner(
  `insert into notification_rules (integration_id, rule_id, name, enabled, definition) values ($1, $2, 'R', true, '{}')`,
  [integrationId, ruleId],
);
await database.asOwner(
  `insert into notification_channels (integration_id, rule_id, position, type, recipients, target)
   values ($1, $2, 0, 'email', '{x@example.com,bob@example.com}', 'x')`,
  [integrationId, ruleId],
);

const cases: readonly [
  title: string,
  type: EntryType,
  details: Record<string, unknown>,
  readers: (keyof typeof everybody)[],
  severity?: Severity,
  actorId?: string,
][] = [
  ['a run that Ann started', 'run.failed', { runId: 1 }, ['ann'], 'error'],
  ['a run that Ann ran again', 'run.failed', { runId: 2 }, ['ann'], 'error'],
  ['a run of a pull request of Bob', 'run.failed', { runId: 3 }, ['bob'], 'error'],
  ['a run of somebody else', 'run.failed', { runId: 4, repository: 'acme/site' }, [], 'error'],
  ['a run of a repository that Ann owns', 'run.failed', { runId: 5 }, ['ann'], 'error'],
  ['a run of a workflow that Bob owns', 'run.failed', { runId: 6 }, ['bob'], 'error'],
  ['a run that is not kept any more', 'run.failed', { runId: 99 }, [], 'error'],
  ['an incident of two people', 'incident.opened', { incidentId }, ['ann', 'bob'], 'error'],
  [
    'an incident of a repository that Ann owns',
    'incident.opened',
    { incidentId: otherIncident },
    ['ann'],
    'error',
  ],
  ['an incident that is removed', 'incident.removed', { removed: 3 }, [], 'warning'],
  ['a notification to Bob', 'alert.sent', { ruleId, incidentId: null }, ['bob']],
  ['a notification that failed', 'alert.failed', { ruleId, incidentId: null }, ['bob', 'admin'], 'warning'],
  ['a rule that mails Bob', 'rule.changed', { ruleId }, []],
  ['dead letters', 'dead_letters', {}, ['admin'], 'error'],
  ['a new member', 'member.joined', { userId: randomUUID() }, []],
  ['a new role of Ann', 'member.role_changed', { userId: ann }, ['ann'], 'info', randomUUID()],
  ['a new name of the repository', 'repository.renamed', { repository: 'acme/site' }, ['ann']],
  ['what Ann did to her incident', 'incident.assigned', { incidentId }, ['bob'], 'info', ann],
];

test('each entry is unread for those whom it concerns, and the number of unread entries counts the same', async () => {
  for (const [title, type, details, , severity, actorId] of cases)
    await recordLogEntry(database.api, {
      integrationId,
      type,
      title,
      details,
      severity: severity ?? 'info',
      actorId: actorId ?? null,
    });
  for (const [name, userId] of Object.entries(everybody)) {
    const read = (query: object) =>
      database.api.withScope({ integrationId }, (tx) => readLog(tx, { integrationId, userId }, query));
    const { items, unread } = await read({});
    const expected = cases
      .filter(([, , , readers]) => readers.some((reader) => reader === name))
      .map(([title]) => title);
    assert.deepEqual(
      items
        .filter((entry) => !entry.read)
        .map(({ title }) => title)
        .toSorted(),
      expected.toSorted(),
      name,
    );
    assert.equal(unread, expected.length);
    assert.equal((await read({ unread: true })).items.length, expected.length);
  }
});

test('counting reads the newest entries, and what belongs to each by its key', async () => {
  await database.asOwner(
    `insert into event_log (integration_id, type, severity, title, details)
     select $1, 'run.failed', 'error', 'x', jsonb_build_object('runId', n) from generate_series(1, 5000) n`,
    [integrationId],
  );
  await database.asOwner(
    `insert into workflow_runs (integration_id, run_id, attempt, version, repository, status, on_default_branch, created_at, pull_requests)
     select $1, n, 1, '', 'acme/site', 'completed', false, now(), '{}' from generate_series(100, 5000) n`,
    [integrationId],
  );
  await database.asOwner('analyze');
  const plans = await plansOf(database.api, integrationId, (tx) =>
    readLog(tx, { integrationId, userId: ann }, { unread: true }),
  );
  for (const index of ['event_log_newest', 'workflow_runs_pkey']) assert.match(plans, new RegExp(index));
  assert.doesNotMatch(plans, /Seq Scan on workflow_runs|hashed SubPlan/);
});
