import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Tx } from '#platform/database/database.ts';
import { requestNotifications, type PendingRun } from '#server/personal-notifications/pending-store.ts';
import {
  deleteOldFailures,
  findRecipient,
  findWaiting,
  isNewFailure,
} from '#server/personal-notifications/recipient-store.ts';
import { findRun } from '#server/personal-notifications/run-store.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { plansOf } from '#test/support/database/query-plans.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { closeIncidentsOf, dequeueBranchEnds } from './branches/branch-end-store.ts';
import { findBranches } from './branches/branch-store.ts';
import { dequeueCompletions } from './evaluation/completion-store.ts';
import { findIncident, findReopenProblem } from './incidents/incident-change-store.ts';
import { countExcessIncidents, deleteOldestFailures } from './incidents/incident-limit-store.ts';
import {
  deleteOldHistory,
  listIncidents,
  listNotifications,
} from './incidents/reading/incident-list-store.ts';
import { alertPolicy } from './policy.ts';
import { addGroupFacts } from './reasons/group-fact-store.ts';
import { findReason, isReasonPending } from './reasons/reason-store.ts';
import type { Completion } from './rules/matching-rules.ts';
import { listOpenWatches, listPast } from './watches/watch-store.ts';
import { incidentId, insertManyAlerts, ruleId, userId } from '#test/support/alerts/many-alerts.ts';

const database = await createTestDatabase();
/** All integrations have as many rows. */
const integrationIds = await Promise.all(Array.from({ length: 20 }, () => insertIntegration(database)));
const integrationId = integrationIds[0]!;
before(() => insertManyAlerts(database, integrationIds));

const completion: Completion = {
  event: 'run',
  repository: 'acme/site',
  workflow: 'CI',
  branch: 'topic 1',
  onDefaultBranch: false,
  runId: 7,
  attempt: 1,
  jobId: null,
  conclusion: 'failure',
  actor: 'ann',
  name: null,
  url: null,
  at: Date.now(),
};
const completions: Completion[] = ['failure', 'success'].flatMap((conclusion) => [
  { ...completion, conclusion },
  { ...completion, conclusion, event: 'job', jobId: 7, name: 'build' },
]);
const filter = {
  status: undefined,
  repository: undefined,
  workflow: undefined,
  show: undefined,
  userId,
  now: new Date(),
  before: undefined,
} as const;
const pendingRun: PendingRun = { integrationId, runId: 7, attempt: 1 };
const key = Buffer.alloc(32, 1);
const longAgo = new Date(0);

for (const [name, role, work, indexes = []] of [
  [
    'open incidents',
    'api',
    (tx) => listIncidents(tx, integrationId, { ...filter, status: 'open' }, 50),
    ['incidents_one_open', 'workflow_owners_pkey'],
  ],
  [
    'incidents of a person',
    'api',
    (tx) => listIncidents(tx, integrationId, { ...filter, show: 'mine' }, 50),
    ['incidents_newest', 'workflow_owners_pkey'],
  ],
  ['an incident', 'api', (tx) => findIncident(tx, integrationId, incidentId)],
  ['what prevents a reopening', 'api', (tx) => findReopenProblem(tx, integrationId, incidentId)],
  [
    'the notifications of a rule',
    'api',
    (tx) => listNotifications(tx, integrationId, ruleId, undefined, 50),
    ['notifications_of_rule'],
  ],
  [
    'pending evaluations',
    'worker',
    (tx) => dequeueCompletions(tx, integrationId, alertPolicy, 100),
    ['pending_evaluations_by_group', 'workflow_jobs_pkey'],
  ],
  [
    'the state of branches',
    'worker',
    (tx) => findBranches(tx, integrationId, completions),
    [
      'incidents_one_open',
      'incidents_closed_by_people',
      'notifications_of_branch',
      'branch_successes_pkey',
      'job_successes_pkey',
    ],
  ],
  [
    'the groups of failures',
    'worker',
    (tx) => addGroupFacts(tx, integrationId, completions),
    ['workflow_jobs_pkey', 'failure_reasons_pkey'],
  ],
  [
    'ended branches',
    'worker',
    (tx) => dequeueBranchEnds(tx, integrationId, 50),
    ['pending_branch_ends_by_group'],
  ],
  [
    'the incidents of a branch',
    'worker',
    (tx) =>
      closeIncidentsOf(
        tx,
        integrationId,
        { repository: 'acme/site', branch: 'topic 9' },
        new Date(),
        'pull_request_closed',
      ),
    ['incidents_one_open'],
  ],
  [
    'incidents of watches',
    'worker',
    (tx) => listOpenWatches(tx, integrationId),
    ['incidents_of_watches', 'notifications_of_incident'],
  ],
  [
    'what people closed',
    'worker',
    (tx) => listPast(tx, integrationId, [key]),
    ['incidents_closed_by_people', 'notifications_of_branch'],
  ],
  ['the reason of a failure', 'worker', (tx) => findReason(tx, integrationId, completion)],
  [
    'whether a reason is pending',
    'worker',
    (tx) => isReasonPending(tx, integrationId, completion, alertPolicy),
    ['pending_failures_pkey'],
  ],
  ['old history', 'worker', (tx) => deleteOldHistory(tx, integrationId, longAgo)],
  ['incidents beyond the limit', 'worker', (tx) => countExcessIncidents(tx, integrationId, 20_000, 1_000)],
  [
    'failures beyond the limit',
    'worker',
    (tx) => deleteOldestFailures(tx, integrationId, 1_000),
    ['incidents_one_open', 'incident_failures_pkey'],
  ],
  [
    'who wants a mail about a run',
    'worker',
    (tx) => requestNotifications(tx, [{ ...pendingRun, actor: 'ann', isGreen: false }]),
    ['users_by_forge_login', 'personal_notifications_pkey'],
  ],
  [
    'the run of a mail',
    'worker',
    (tx) => findRun(tx, pendingRun),
    ['workflow_runs_pkey', 'workflow_runs_by_branch'],
  ],
  [
    'the recipient of a mail',
    'worker',
    (tx) => findRecipient(tx, integrationId, 'ann'),
    ['users_by_forge_login', 'memberships_pkey'],
  ],
  [
    'who waits for a recovery',
    'worker',
    (tx) => findWaiting(tx, pendingRun, key),
    ['personal_failures_pkey'],
  ],
  [
    'whether a failure is new to a person',
    'worker',
    (tx) => isNewFailure(tx, pendingRun, key, userId),
    ['personal_failures_pkey'],
  ],
  ['old failures of people', 'worker', (tx) => deleteOldFailures(tx, integrationId, longAgo)],
] as [string, 'api' | 'worker', (tx: Tx) => Promise<unknown>, string[]?][])
  test(`indexes find ${name}`, async () => {
    const plan = await plansOf(database[role], integrationId, work);
    assert.doesNotMatch(plan, /Seq Scan/, plan);
    for (const index of indexes) assert.match(plan, new RegExp(`${index}\\b`), plan);
  });
