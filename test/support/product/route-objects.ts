import { randomBytes, randomUUID } from 'node:crypto';
import type { QueuedEvent } from '#contract/integrations/integrations.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { systemClock } from '#platform/runtime/clock.ts';
import { createIntegrationToken } from '#server/api-tokens/integration-tokens.ts';
import { createPersonalToken } from '#server/api-tokens/personal-tokens.ts';
import { makeGuardedFetch } from '#platform/http/outgoing/guarded-fetch.ts';
import { saveExport } from '#server/trace-export/settings.ts';
import { createBadge } from '#server/badges/badges.ts';
import { hideWorkflow } from '#server/hidden-workflows/hide-workflow.ts';
import { markDeployment } from '#server/deployments/mark-deployment.ts';
import { declareSource } from '#server/deployments/sources.ts';
import { setPrice } from '#server/minute-prices/prices.ts';
import { createSubscription } from '#server/outgoing-webhooks/subscriptions/save-subscription.ts';
import { makeReceiveReport } from '#server/test-results/arrival/receive-report.ts';
import { createShareLink } from '#server/wallboard/share-links.ts';
import {
  deploymentPayload,
  jobPayload,
  pullRequestPayload,
  runPayload,
} from '#test/support/data/forge-events.ts';
import { recordPayload } from '#test/support/data/record-payload.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { invite } from '#test/support/team/invite.ts';
import type { AnswerBody, Person, Team, TeamProduct } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { insertInstallation } from '#test/support/forge/insert-installation.ts';
import { insertIdleTask, insertTask } from '#test/support/forge/insert-task.ts';
import { insertDeadLetters } from '#test/support/queue/dead-letters.ts';
import { unlimited } from './unlimited.ts';

export interface World {
  product: TeamProduct;
  team: Team;
  /** The later caller, who must own personal objects. */
  caller: Person;
}

export async function newLinkWithHistory(world: World): Promise<string> {
  const installationId = await newLink(world);
  await insertIdleTask(world.product.database, world.team.integrationId, installationId, 'forge-history');
  return installationId;
}

export async function newLink({ product, team }: World): Promise<string> {
  await insertInstallation(product.database, 77, [team.integrationId]);
  return '77';
}

/** As the database holds it: a member cannot be invited, but the caller may be one. */
export async function newOffer({ product, team, caller }: World): Promise<string> {
  const [row] = await product.database.asOwner<{ invitation_id: string }>(
    `insert into invitations (integration_id, email, role, token_hash, invited_by, expires_at)
     values ($1, $2, 'viewer', $3, $4, now() + interval '1 hour') returning invitation_id`,
    [team.integrationId, `${caller.login}@example.com`, randomBytes(32), team.owner.userId],
  );
  return row?.invitation_id ?? '';
}

export const newInvitation = async ({ team }: World): Promise<string> =>
  (await invite(team, null, 'viewer')).invitationId;

export async function newPersonalToken({ product, caller }: World): Promise<string> {
  const body = { name: 'Script', scopes: ['read' as const] };
  const deps = { db: product.database.api, clock: systemClock };
  return idOrRandom(createPersonalToken(deps, caller.userId, body));
}

export async function newIntegrationToken({ product, team }: World): Promise<string> {
  const deps = { db: product.database.api, clock: systemClock };
  const actor = { integrationId: team.integrationId, actorId: team.owner.userId };
  return idOrRandom(createIntegrationToken(deps, actor, { name: 'Dashboard', role: 'viewer' }));
}

export async function newShareLink({ product, team }: World): Promise<string> {
  const deps = { db: product.database.api, publicUrl: product.publicUrl };
  const actor = { integrationId: team.integrationId, actorId: team.owner.userId };
  const created = createShareLink(deps, actor, { name: 'Office', filter: {} });
  return idOrRandom(created.then(({ linkId }) => ({ tokenId: linkId })));
}

/** A random id when the limit is reached, as in a long run of the fuzzer. */
function idOrRandom(created: Promise<{ tokenId: string }>): Promise<string> {
  return created.then(
    ({ tokenId }) => tokenId,
    (error: unknown) => {
      if (!(error instanceof AppError)) throw error;
      return randomUUID();
    },
  );
}

export async function newMember({ product, team }: World): Promise<Person> {
  const person = await product.person('newcomer');
  await product.setRole(team.integrationId, person, 'viewer');
  return person;
}

export async function newRule({ team }: World): Promise<string> {
  const { body } = await team.owner.call('POST', team.path('/notification-rules'), ruleBody());
  return String(body['ruleId']);
}

export async function newIncident({ product, team }: World): Promise<string> {
  const [row] = await product.database.asOwner<{ incident_id: string }>(
    `insert into incidents (integration_id, branch_key, repository, opened_at, failed_runs, failed_jobs, first_failure, last_failure)
     select $1, decode(md5(random()::text), 'hex'), 'acme/site', now(), 1, 0, f, f
     from jsonb_build_object('event', 'run', 'runId', 1, 'attempt', 1, 'jobId', null, 'name', null,
       'conclusion', 'failure', 'actor', null, 'url', null, 'at', now()) f
     returning incident_id`,
    [team.integrationId],
  );
  return row?.incident_id ?? '';
}

export const viewBody = (name: string) => ({ name, filter: { branch: 'main' } });

export async function newView({ team, caller }: World): Promise<string> {
  const { body } = await caller.call('POST', team.path('/saved-views'), viewBody(`View ${randomUUID()}`));
  return String(body['viewId']);
}

export async function newRun(world: World): Promise<string> {
  await record(world, 'workflow_run', runPayload({ id: 4711, name: 'CI' }));
  return '4711';
}

/** The path of the log of a job. */
export async function newLoggedJob(world: World): Promise<{ params: Record<string, string> }> {
  const runId = await newRun(world);
  await record(world, 'workflow_job', jobPayload({ id: 815, run_id: Number(runId) }));
  return { params: { runId, jobId: '815' } };
}

export async function newPullRequest(world: World): Promise<string> {
  await record(world, 'pull_request', pullRequestPayload({ number: 12 }));
  return '12';
}

function record({ product, team }: World, eventType: QueuedEvent, payload: object): Promise<void> {
  return recordPayload(product.database, team.integrationId, eventType, payload);
}

export async function newFailureGroup({ product, team }: World): Promise<string> {
  const [row] = await product.database.asOwner<{ id: string }>(
    `insert into failure_groups (integration_id, failure_group_id, repository, job, error_line, failures, first_seen_at,
       last_seen_at, is_specific)
     values ($1, $2, 'acme/site', 'build', 'Broken main', 1, now(), now(), true) returning failure_group_id as id`,
    [team.integrationId, randomUUID()],
  );
  return row?.id ?? '';
}

/** A report in the format CTRF. */
export const testReport = {
  results: { tests: [{ name: 'adds', suite: 'sum', status: 'failed', message: 'no' }] },
};

/** The id of a test that a report told of. */
export async function newTest(world: World): Promise<string> {
  await sendReport(world, testReport);
  return firstId(world, '/tests', 'testId');
}

export async function newFlakyTest(world: World): Promise<string> {
  await sendReport(world, {
    results: { tests: [{ name: 'pays', suite: 'cart', status: 'passed', flaky: true, retries: 1 }] },
  });
  const { database } = world.product;
  // The examples of runs are of the past, and a flake counts for 14 days.
  await database.asOwner('update tests set last_flaky_at = now() where integration_id = $1', [
    world.team.integrationId,
  ]);
  return firstId(world, '/tests?state=flaky', 'testId');
}

export async function newQuarantinedTest(world: World): Promise<string> {
  const testId = await newFlakyTest(world);
  const { owner } = world.team;
  await owner.call('PUT', world.team.path(`/tests/${testId}/quarantine`), { reason: 'Race' });
  return testId;
}

async function sendReport(world: World, report: object): Promise<void> {
  const { database, sealer } = world.product;
  const run = Number(await newRun(world));
  const receive = makeReceiveReport({ db: database.api, sealer, ...unlimited });
  await receive(world.team.integrationId, { run }, Buffer.from(JSON.stringify(report)));
}

export async function newDelivery(world: World): Promise<string> {
  await postWebhook(world.product.baseUrl, world.team, { event: 'workflow_run', payload: runPayload() });
  // Recorded after the response to the forge, where it would look like a change by the next caller.
  await waitUntil('the use of the secret to be on record', async () => {
    const { body } = await world.team.owner.call('GET', world.team.path());
    return body['lastSecretUsed'] === 'current';
  });
  return firstId(world, '/deliveries', 'deliveryId');
}

export async function newDeadLetter({ product, team }: World): Promise<string> {
  const [messageId = ''] = await insertDeadLetters(product.database, team.integrationId, 'failed');
  return messageId;
}

export function newTask({ product, team }: World): Promise<string> {
  return insertTask(product.database, team.integrationId, {
    kind: 'forge-logs',
    key: randomUUID(),
    dueInMs: 60_000,
  });
}

export async function firstId({ team }: World, path: string, field: keyof AnswerBody): Promise<string> {
  const { body } = await team.owner.call('GET', team.path(path));
  const id = body.items[0]?.[field];
  if (typeof id !== 'string') throw new Error(`nothing at ${path}`);
  return id;
}

export async function newHidden(world: World): Promise<string> {
  await newRun(world);
  const { product, team } = world;
  const actor = { integrationId: team.integrationId, actorId: team.owner.userId };
  const hidden = await hideWorkflow({ db: product.database.api, clock: Date.now }, actor, {
    repository: 'acme/site',
    workflow: 'CI',
  });
  return hidden.hiddenWorkflowId;
}

export const priceBody = {
  runner: 'ubuntu-latest',
  validFrom: '2026-11-01',
  pricePerMinute: 0.006,
  currency: 'USD',
};

export async function newPrice({ product, team }: World): Promise<string> {
  const actor = { integrationId: team.integrationId, actorId: team.owner.userId };
  return (await setPrice({ db: product.database.api }, actor, priceBody)).priceId;
}

export async function newSource({ product, team }: World): Promise<string> {
  const actor = { integrationId: team.integrationId, actorId: team.owner.userId };
  const deps = { db: product.database.api, clock: Date.now };
  return (await declareSource(deps, actor, { environment: 'production' })).sourceId;
}

/** The key of a deployment. */
export async function newDeployment({ product, team }: World): Promise<string> {
  await recordPayload(product.database, team.integrationId, 'deployment_status', deploymentPayload());
  return 'deployment-40';
}

/** The key of a deployment that somebody marked. */
export async function newMark(world: World): Promise<string> {
  const key = await newDeployment(world);
  const { product, team } = world;
  const actor = { integrationId: team.integrationId, actorId: team.owner.userId };
  await markDeployment({ db: product.database.api, clock: Date.now }, actor, key, true);
  return key;
}

/** A random id when the limit of badges is reached. */
export async function newBadge(world: World): Promise<string> {
  await newRun(world);
  const { product, team } = world;
  const deps = { db: product.database.api, publicUrl: product.publicUrl };
  const actor = { integrationId: team.integrationId, actorId: team.owner.userId };
  return createBadge(deps, actor, { repository: 'acme/site', workflow: 'CI', branch: randomUUID() }).then(
    ({ badgeId }) => badgeId,
    (error: unknown) => {
      if (!(error instanceof AppError)) throw error;
      return randomBytes(16).toString('base64url');
    },
  );
}

export async function newTraceExport({ product, team }: World): Promise<void> {
  const guardedFetch = makeGuardedFetch({ allowedNetworks: [] });
  const deps = { db: product.database.api, sealer: product.sealer, clock: Date.now, guardedFetch };
  const actor = { integrationId: team.integrationId, actorId: team.owner.userId };
  await saveExport(deps, actor, { url: 'https://traces.invalid', enabled: false });
}

/** A random id when the limit of subscriptions is reached. */
export async function newSubscription({ product, team }: World): Promise<string> {
  const { database, sealer } = product;
  const deps = { db: database.api, sealer, refusal: () => undefined };
  const actor = { integrationId: team.integrationId, actorId: team.owner.userId };
  const body = {
    name: 'Receiver',
    url: 'https://hooks.example.com/in',
    eventTypes: ['run.completed' as const],
  };
  return createSubscription(deps, actor, body).then(
    ({ subscriptionId }) => subscriptionId,
    (error: unknown) => {
      if (!(error instanceof AppError)) throw error;
      return randomUUID();
    },
  );
}

export async function newOutgoingWebhook(world: World): Promise<string> {
  const [row] = await world.product.database.asOwner<{ webhook_id: string }>(
    `insert into outgoing_webhooks (integration_id, receiver_id, receiver_kind, event_type, status, facts)
     values ($1, $2, 'subscription', 'test', 'failed', '{}') returning webhook_id`,
    [world.team.integrationId, await newSubscription(world)],
  );
  return row?.webhook_id ?? '';
}
