import { makeGuardedFetch } from '#platform/http/outgoing/guarded-fetch.ts';
import type { Config } from '#platform/runtime/settings/config.ts';
import { apiTokenRoutes } from '#server/api-tokens/routes.ts';
import { alertPolicy } from '#server/alerts/policy.ts';
import { alertRoutes } from '#server/alerts/routes.ts';
import { taskRoutes } from '#server/background-work/routes.ts';
import { badgeRoutes } from '#server/badges/routes.ts';
import { hiddenWorkflowRoutes } from '#server/hidden-workflows/routes.ts';
import { deploymentRoutes } from '#server/deployments/routes.ts';
import { minutePriceRoutes } from '#server/minute-prices/routes.ts';
import { workflowOwnerRoutes } from '#server/workflow-owners/routes.ts';
import { deliveryRoutes } from '#server/deliveries/routes.ts';
import { eventLogRoutes } from '#server/event-log/routes.ts';
import { failureRoutes } from '#server/failures/routes.ts';
import { identityRoutes } from '#server/identity/routes.ts';
import type { SignIn } from '#server/identity/sign-in.ts';
import { makeForgeApi } from '#server/forge-app/forge-api.ts';
import { runActionRoutes } from '#server/forge-actions/routes.ts';
import { forgeConnectionRoutes } from '#server/forge-connections/routes.ts';
import { forgeAppRoutes } from '#server/forge-app/routes.ts';
import type { ForgeModule } from '#server/forges/make-forges.ts';
import { makeSetupProof } from '#server/forge-app/installations/setup-proof.ts';
import { makeEnqueueEvent } from '#server/ingestion/enqueue-event.ts';
import type { ReceiveDeps } from '#server/ingestion/receive-integration-webhook.ts';
import { ingestionRoutes } from '#server/ingestion/routes.ts';
import { makeWebhookCounter } from '#server/ingestion/webhook-counter.ts';
import { formatRoutes } from '#server/formats/routes.ts';
import { homeRoutes } from '#server/home/routes.ts';
import { integrationRoutes } from '#server/integrations/routes.ts';
import { makeMayCreate } from '#server/integrations/who-may-create.ts';
import { makeSecretCache } from '#server/integrations/secrets/secret-cache.ts';
import { invitationRoutes } from '#server/invitations/routes.ts';
import { mcpRoutes } from '#server/mcp/routes.ts';
import { memberRoutes } from '#server/members/routes.ts';
import { mailCountKey } from '#server/mail/limit-mails.ts';
import { makeSendMail } from '#server/mail/send-mail.ts';
import { findWebhookChannel } from '#server/alerts/channels/find-webhook-channel.ts';
import { exportRetries } from '#server/trace-export/settings.ts';
import { prepareWebhookRetry } from '#server/outgoing-webhooks/sending/send-in-order.ts';
import { outgoingWebhookRoutes } from '#server/outgoing-webhooks/routes.ts';
import { metricsRoute, operationsRoutes } from '#server/operations/routes.ts';
import { deadLetterRetentionDays } from '#server/queue/policy.ts';
import { storeLargePayload } from '#server/queue/messages/large-payload.ts';
import { personalNotificationRoutes } from '#server/personal-notifications/routes.ts';
import { makeUnsubscribeTokens } from '#server/personal-notifications/unsubscribe-token.ts';
import { pullRequestRoutes } from '#server/pull-requests/routes.ts';
import { readStreamChanges, readStreamPosition } from '#server/realtime/outbox/read-position.ts';
import type { Realtime } from '#server/realtime/realtime.ts';
import { realtimeRoutes } from '#server/realtime/routes.ts';
import type { Quotas } from '#server/quotas/quotas.ts';
import { quotaRoutes } from '#server/quotas/routes.ts';
import { repositoryRoutes } from '#server/forge-sync/routes.ts';
import { dashboardRoutes } from '#server/rollups/dashboards/routes.ts';
import { jobRoutes } from '#server/runs/jobs/routes.ts';
import { runRoutes } from '#server/runs/routes.ts';
import { savedViewRoutes } from '#server/saved-views/routes.ts';
import { searchRoutes } from '#server/search/routes.ts';
import { jobLogRoutes } from '#server/job-logs/routes.ts';
import { makeVerifyJobToken, type VerifyJobToken } from '#server/job-tokens/verify-job-token.ts';
import { testResultRoutes } from '#server/test-results/routes.ts';
import { traceExportRoutes } from '#server/trace-export/routes.ts';
import { webhookTask } from '#server/webhook-events/webhook-task.ts';
import { wallboardRoutes } from '#server/wallboard/routes.ts';
import packageJson from '../package.json' with { type: 'json' };
import type { ApiDeps } from './role-deps.ts';
import type { Route } from './route.ts';

/** Parts of the api that routes need. */
export interface ApiRoutesDeps {
  realtime: Realtime;
  wsUrl: string;
  signIn: SignIn;
  recordUnqueued: ReceiveDeps['recordUnqueued'];
  quotas: Quotas;
  forges: ForgeModule;
  sampleProofs: ReceiveDeps['sampleProofs'];
}

const prepareRetry = { [webhookTask]: prepareWebhookRetry, ...exportRetries };
const aboutRuns = [
  pullRequestRoutes,
  jobRoutes,
  jobLogRoutes,
  failureRoutes,
  testResultRoutes,
  workflowOwnerRoutes,
  minutePriceRoutes,
  deploymentRoutes,
];

/** The routes of all modules except sign-in. Each module names what it needs of `shared` in the type of its parameter. */
export function apiRoutes(deps: ApiDeps, parts: ApiRoutesDeps): Route[] {
  const { config, runtime, metrics } = deps;
  const { realtime, wsUrl, signIn, forges, quotas } = parts;
  const shared = { ...sharedParts(deps), forges, quotas, limits: config };
  const { db } = shared;
  return [
    ...operationsRoutes(deps),
    ...(config.metricsToken === undefined ? [] : [metricsRoute({ metrics }, config.metricsToken)]),
    ...identityRoutes({ ...shared, signIn, publicConfig: { ...publicConfig(config), wsUrl } }),
    ...apiTokenRoutes(shared),
    ...personalNotificationRoutes({
      ...shared,
      unsubscribeTokens: makeUnsubscribeTokens(runtime.masterKeys),
    }),
    ...badgeRoutes(shared),
    ...hiddenWorkflowRoutes(shared),
    ...traceExportRoutes({
      ...shared,
      guardedFetch: makeGuardedFetch({ ...allowed(config), mayUseHttp: true }),
    }),
    ...wallboardRoutes(shared),
    ...mcpRoutes(shared),
    ...formatRoutes(shared),
    ...integrationRoutes(shared),
    ...memberRoutes(shared),
    ...invitationRoutes({
      ...shared,
      mailLimits: { mailsPerPerson: config.invitationMailsPerDay, countKey: shared.countKey },
    }),
    ...runRoutes({ db, readPosition: readStreamPosition }),
    ...aboutRuns.flatMap((routes) => routes(shared)),
    ...dashboardRoutes({ ...shared, readChanges: readStreamChanges }),
    ...savedViewRoutes(shared),
    ...searchRoutes(shared),
    ...homeRoutes(shared),
    ...eventLogRoutes(shared),
    ...deliveryRoutes(shared),
    ...taskRoutes({ ...shared, prepareRetry }),
    ...alertRoutes({ ...shared, policy: alertPolicy }),
    ...outgoingWebhookRoutes({
      ...shared,
      findChannel: (...channel) => findWebhookChannel(shared.sealer, ...channel),
    }),
    ...realtimeRoutes({ db, mintToken: realtime.mintToken, wsUrl }),
    ...forgeAppRoutes({
      ...shared,
      ...forgeAppParts(config),
      api: forges.application && makeForgeApi(forges.application),
      proof: makeSetupProof(runtime.masterKeys),
    }),
    ...quotaRoutes(shared),
    ...[repositoryRoutes, runActionRoutes, forgeConnectionRoutes].flatMap((routes) => routes(shared)),
    ...ingestionRoutes({
      ...shared,
      ...parts,
      secrets: makeSecretCache(shared, deps.listener),
      count: makeWebhookCounter(metrics),
    }),
  ];
}

function sharedParts(deps: ApiDeps) {
  const { config, log, runtime, clock, db, queue, disk } = deps;
  const { sealer, masterKeys } = runtime;
  const guardedFetch = makeGuardedFetch(allowed(config));
  return {
    db,
    log,
    clock,
    sealer,
    queue,
    disk,
    publicUrl: config.publicUrl,
    version: packageJson.version,
    mayCreate: makeMayCreate(config.whoMayCreate),
    maxOwned: config.integrationsPerPerson,
    sendMail: makeSendMail(config, log),
    countKey: mailCountKey(masterKeys),
    guardedFetch,
    refusal: guardedFetch.refusal,
    verifyJobToken: jobTokensOf(deps),
    eventHeaders: config.forgeEventHeaders,
    maxBytes: config.webhookMaxBytes,
    enqueue: makeEnqueueEvent({
      queue,
      disk,
      storeLargePayload: (groupId, payload) => storeLargePayload(db, sealer, groupId, payload),
    }),
  };
}

function forgeAppParts(config: Config) {
  return {
    role: config.forgeAppMemberRole,
    webhookSecret: config.forgeAppWebhookSecret,
    forgeUrl: config.forgeUrl,
    slug: config.forgeAppSlug,
  };
}

/** Keys of a forge are read from where its webhooks come from, as its API is. */
function jobTokensOf({ config, db, log, clock }: ApiDeps): VerifyJobToken {
  const trustedOrigins = [new URL(config.forgeUrl).origin];
  const keysFetch = makeGuardedFetch({ ...allowed(config), mayUseHttp: true, trustedOrigins });
  return makeVerifyJobToken({ db, log, clock, publicUrl: config.publicUrl, keysFetch });
}

function allowed({ alertAllowedNetworks: allowedNetworks, alertAllowedPorts: allowedPorts }: Config) {
  return { allowedNetworks, allowedPorts };
}

function publicConfig(config: Config) {
  return {
    forgeName: config.forgeName,
    forgeUrl: config.forgeUrl,
    publicUrl: config.publicUrl,
    version: packageJson.version,
    demo: config.demoSignIn,
    retention: {
      runDays: config.runRetentionDays ?? null,
      deliveryDays: config.retentionDays,
      deadLetterDays: deadLetterRetentionDays,
    },
  };
}
