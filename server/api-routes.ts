import { makeGuardedFetch } from '#platform/http/outgoing/guarded-fetch.ts';
import { apiTokenRoutes } from '#server/api-tokens/routes.ts';
import { alertPolicy } from '#server/alerts/policy.ts';
import { alertRoutes } from '#server/alerts/routes.ts';
import { badgeRoutes } from '#server/badges/routes.ts';
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
import { integrationRoutes } from '#server/integrations/routes.ts';
import { makeMayCreate } from '#server/integrations/who-may-create.ts';
import { makeSecretCache } from '#server/integrations/secrets/secret-cache.ts';
import { invitationRoutes } from '#server/invitations/routes.ts';
import { mcpRoutes } from '#server/mcp/routes.ts';
import { memberRoutes } from '#server/members/routes.ts';
import { mailCountKey } from '#server/mail/limit-mails.ts';
import { makeSendMail } from '#server/mail/send-mail.ts';
import { findWebhookChannel } from '#server/alerts/channels/find-webhook-channel.ts';
import { outgoingWebhookRoutes } from '#server/outgoing-webhooks/routes.ts';
import { metricsRoute, operationsRoutes } from '#server/operations/routes.ts';
import { deadLetterRetentionDays } from '#server/queue/policy.ts';
import { storeLargePayload } from '#server/queue/messages/large-payload.ts';
import { personalNotificationRoutes } from '#server/personal-notifications/routes.ts';
import { makeUnsubscribeTokens } from '#server/personal-notifications/unsubscribe/unsubscribe-token.ts';
import { pullRequestRoutes } from '#server/pull-requests/routes.ts';
import { readStreamChanges, readStreamPosition } from '#server/realtime/outbox/read-position.ts';
import type { Realtime } from '#server/realtime/realtime.ts';
import { realtimeRoutes } from '#server/realtime/routes.ts';
import { repositoryRoutes } from '#server/forge-sync/routes.ts';
import { dashboardRoutes } from '#server/rollups/dashboards/routes.ts';
import { jobRoutes } from '#server/runs/jobs/routes.ts';
import { runRoutes } from '#server/runs/routes.ts';
import { savedViewRoutes } from '#server/saved-views/routes.ts';
import { searchRoutes } from '#server/search/routes.ts';
import { traceExportRoutes } from '#server/trace-export/routes.ts';
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
  forges: ForgeModule;
  sampleProofs: ReceiveDeps['sampleProofs'];
}

/** The routes of all modules except sign-in. */
export function apiRoutes(
  { config, log, runtime, metrics, listener, clock, db, queue, checkReady, drainNotice }: ApiDeps,
  { realtime, wsUrl, signIn, recordUnqueued, forges, sampleProofs }: ApiRoutesDeps,
): Route[] {
  const { sealer } = runtime;
  const mayCreate = makeMayCreate(config.whoMayCreate);
  const allowed = {
    allowedNetworks: config.alertAllowedNetworks,
    allowedPorts: config.alertAllowedPorts,
  };
  const guardedFetch = makeGuardedFetch(allowed);
  const enqueue = makeEnqueueEvent({
    queue,
    storeLargePayload: (groupId, payload) => storeLargePayload(db, sealer, groupId, payload),
  });
  const publicConfig = {
    forgeName: config.forgeName,
    forgeUrl: config.forgeUrl,
    publicUrl: config.publicUrl,
    wsUrl,
    version: packageJson.version,
    demo: config.demoSignIn,
    retention: {
      runDays: config.runRetentionDays ?? null,
      deliveryDays: config.retentionDays,
      deadLetterDays: deadLetterRetentionDays,
    },
  };
  return [
    ...operationsRoutes({ checkReady, drainNotice }),
    ...(config.metricsToken === undefined ? [] : [metricsRoute({ metrics }, config.metricsToken)]),
    ...identityRoutes({ db, signIn, mayCreate, publicConfig }),
    ...apiTokenRoutes({ db, clock }),
    ...personalNotificationRoutes({
      db,
      publicUrl: config.publicUrl,
      unsubscribeTokens: makeUnsubscribeTokens(runtime.masterKeys),
    }),
    ...badgeRoutes({ db, publicUrl: config.publicUrl }),
    ...traceExportRoutes({
      db,
      sealer,
      clock,
      guardedFetch: makeGuardedFetch({ ...allowed, mayUseHttp: true }),
    }),
    ...wallboardRoutes({ db, clock, publicUrl: config.publicUrl, version: packageJson.version }),
    ...mcpRoutes({ version: packageJson.version }),
    ...formatRoutes({ db, publicUrl: config.publicUrl }),
    ...integrationRoutes({
      db,
      sealer,
      clock,
      log,
      publicUrl: config.publicUrl,
      mayCreate,
      maxOwned: config.integrationsPerPerson,
    }),
    ...memberRoutes({ db, maxOwned: config.integrationsPerPerson }),
    ...invitationRoutes({
      db,
      log,
      publicUrl: config.publicUrl,
      sendMail: makeSendMail(config, log),
      mailLimits: {
        mailsPerPerson: config.invitationMailsPerDay,
        countKey: mailCountKey(runtime.masterKeys),
      },
    }),
    ...runRoutes({ db, readPosition: readStreamPosition }),
    ...pullRequestRoutes({ db }),
    ...jobRoutes({ db }),
    ...failureRoutes({ db, sealer }),
    ...dashboardRoutes({ db, clock, readChanges: readStreamChanges }),
    ...savedViewRoutes({ db }),
    ...searchRoutes({ db }),
    ...eventLogRoutes({ db }),
    ...deliveryRoutes({ db, sealer, queue }),
    ...alertRoutes({
      db,
      log,
      sealer,
      clock,
      publicUrl: config.publicUrl,
      countKey: mailCountKey(runtime.masterKeys),
      policy: alertPolicy,
      guardedFetch,
      refusal: guardedFetch.refusal,
      sendMail: makeSendMail(config, log),
    }),
    ...outgoingWebhookRoutes({
      db,
      sealer,
      clock,
      refusal: guardedFetch.refusal,
      findChannel: (...channel) => findWebhookChannel(sealer, ...channel),
    }),
    ...realtimeRoutes({ db, mintToken: realtime.mintToken, wsUrl }),
    ...forgeAppRoutes({
      db,
      queue,
      clock,
      enqueue,
      api: forges.application && makeForgeApi(forges.application),
      proof: makeSetupProof(runtime.masterKeys),
      role: config.forgeAppMemberRole,
      webhookSecret: config.forgeAppWebhookSecret,
      eventHeaders: config.forgeEventHeaders,
      maxBytes: config.webhookMaxBytes,
      forgeUrl: config.forgeUrl,
      slug: config.forgeAppSlug,
    }),
    ...repositoryRoutes({ db, clock }),
    ...runActionRoutes({ db, forges }),
    ...forgeConnectionRoutes({ db, sealer, clock, forges }),
    ...ingestionRoutes({
      db,
      log,
      clock,
      secrets: makeSecretCache({ db, sealer, clock, log }, listener),
      enqueue,
      eventHeaders: config.forgeEventHeaders,
      maxBytes: config.webhookMaxBytes,
      count: makeWebhookCounter(metrics),
      recordUnqueued,
      sampleProofs,
    }),
  ];
}
