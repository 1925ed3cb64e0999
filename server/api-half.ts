import type { Registry } from 'prom-client';
import type { Database } from '#platform/database/database.ts';
import type { Listener } from '#platform/database/listener.ts';
import { installApiReference } from '#platform/http/api-reference.ts';
import { installChain } from '#platform/http/chain.ts';
import { makeGuardedFetch } from '#platform/http/guarded-fetch.ts';
import { localUrl } from '#platform/http/local-url.ts';
import { publicPrefixes } from '#platform/http/public-prefixes.ts';
import { registerRoutes } from '#platform/http/register.ts';
import { makeHttpServer } from '#platform/http/server.ts';
import { installWebSite } from '#platform/http/web-site.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import type { Config } from '#platform/runtime/config.ts';
import type { Log } from '#platform/runtime/log.ts';
import type { Service } from '#platform/runtime/service.ts';
import { alertRoutes } from '#server/alerts/routes.ts';
import { deliveryRoutes } from '#server/deliveries/routes.ts';
import { recordLogEntry } from '#server/event-log/add-entry.ts';
import { eventLogRoutes } from '#server/event-log/routes.ts';
import { identityRoutes } from '#server/identity/routes.ts';
import type { SignIn } from '#server/identity/sign-in.ts';
import { isDemoDeployment } from '#server/identity-provider/this-machine.ts';
import { makeForgeApi } from '#server/forge-app/forge-api.ts';
import { forgeClientOf } from '#server/forge-app/forge-client.ts';
import { forgeAppRoutes, publicPrefixes as forgeAppPrefixes } from '#server/forge-app/routes.ts';
import { makeSetupProof } from '#server/forge-app/setup-proof.ts';
import { makeEnqueueEvent } from '#server/ingestion/enqueue-event.ts';
import {
  describeRejected,
  makeRejectedDeliveries,
  type RejectedCounts,
  type RejectedDeliveries,
} from '#server/ingestion/rejected-deliveries.ts';
import { ingestionRoutes, publicPrefixes as ingestionPrefixes } from '#server/ingestion/routes.ts';
import { makeWebhookCounter } from '#server/ingestion/webhook-counter.ts';
import { integrationRoutes } from '#server/integrations/routes.ts';
import { readCurrentSecret } from '#server/integrations/webhook-secret.ts';
import { makeSecretCache } from '#server/integrations/secret-cache.ts';
import { invitationRoutes } from '#server/invitations/routes.ts';
import { requireRole } from '#server/members/require-role.ts';
import { memberRoutes } from '#server/members/routes.ts';
import { makeSendMail } from '#server/mail/send-mail.ts';
import { readObjects } from '#server/monitoring/read-objects.ts';
import { monitoringRoutes } from '#server/monitoring/routes.ts';
import { operationsRoutes } from '#server/operations/routes.ts';
import { deadLetterRetentionDays } from '#server/queue/policy.ts';
import { storeLargePayload } from '#server/queue/large-payload.ts';
import type { Queue } from '#server/queue/queue.ts';
import { readStreamChanges, readStreamPosition } from '#server/realtime/read-position.ts';
import { makeRealtime, type Realtime } from '#server/realtime/realtime.ts';
import { realtimeRoutes } from '#server/realtime/routes.ts';
import { repositoryRoutes } from '#server/repositories/routes.ts';
import { savedViewRoutes } from '#server/saved-views/routes.ts';
import { sampleTrafficRoutes } from '#server/simulate/routes.ts';
import { makeSampleSender } from '#server/simulate/sample-traffic.ts';
import packageJson from '../package.json' with { type: 'json' };
import type { Deployment } from './deployment.ts';
import { accessRules, checkRoutes, type Route } from './route.ts';
import { makeSignInHalf } from './sign-in-half.ts';

export interface ApiHalfDeps {
  config: Config;
  log: Log;
  deployment: Deployment;
  metrics: Registry;
  listener: Listener;
  clock: Clock;
  db: Database;
  queue: Queue;
}

export interface ApiHalf {
  realtime: Realtime;
  /** Everything it answers, and to whom. */
  routes: readonly Route[];
  /** Started before anything may arrive, and stopped last. */
  background: readonly Service[];
  /** Takes requests: started last, stopped first. */
  foreground: readonly Service[];
  localUrl(): string | undefined;
}

/** HTTP, sockets and the web app. */
export async function makeApiHalf(deps: ApiHalfDeps): Promise<ApiHalf> {
  const { config, log, deployment, metrics, listener, clock, db, queue } = deps;
  const wsUrl = `${config.publicUrl.replace(/^http/, 'ws')}/ws`;
  const realtime = makeRealtime({
    db,
    listener,
    log,
    metrics,
    tokenKeys: config.wsTokenSecret ?? deployment.masterKeys,
    isSingleUse: config.wsTokenSingleUse,
    audience: config.publicUrl,
    allowedOrigins: config.webOrigins,
    path: new URL(wsUrl).pathname,
    loadUpdates: readObjects,
  });
  const http = makeHttpServer(log, {
    trustedProxies: config.trustedProxies,
    closeWithinMs: config.workerTimeoutMs,
  });
  const url = (): string | undefined => localUrl(http.server.address());
  const { signIn, ...session } = await makeSignInHalf({ ...deps, localUrl: url });
  const rejected = makeRejectedDeliveries({ log, tell: (id, counts) => tellRejected(db, id, counts) });
  const readSecret = (id: string) => readCurrentSecret({ db, sealer: deployment.sealer, clock, log }, id);
  const samples = isDemoDeployment(config)
    ? [makeSampleSender({ clock, log, localUrl: url, readSecret })]
    : [];
  const routes = [
    ...allRoutes(deps, realtime, wsUrl, signIn, rejected.note),
    ...samples.flatMap(sampleTrafficRoutes),
    ...session.routes,
  ];
  const prefixes = [...ingestionPrefixes, ...forgeAppPrefixes, ...session.publicPrefixes];
  checkRoutes(routes, prefixes);
  const anySession = new Set(routes.flatMap(({ access, path }) => (access === 'any-session' ? [path] : [])));
  await installChain(http, {
    allowedOrigins: config.webOrigins,
    isPublic: publicPrefixes(prefixes),
    readsCookiesItself: (path) => anySession.has(path),
    authenticate: signIn.authenticate,
  });
  await installApiReference(http, { version: packageJson.version, baseUrl: config.publicUrl });
  await registerRoutes(http, routes, {
    ...accessRules((minimum) => requireRole(db, minimum)),
    sessionLimit: { perMinute: config.apiRequestsPerMinute, by: 'caller' },
  });
  await session.mount(http);
  await installWebSite(http, new URL(wsUrl).origin);
  http.server.on('upgrade', realtime.handleUpgrade);

  const listening: Service = {
    name: 'http',
    start: async () => {
      await http.listen({ host: config.host, port: config.port }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EADDRINUSE') throw error;
        throw new Error(`Something listens on ${config.host}:${config.port} already. Stop it, or set PORT.`, {
          cause: error,
        });
      });
    },
    stop: async () => {
      // Sockets first: the server's close waits for every connection.
      await realtime.drain();
      await http.close();
    },
  };
  return {
    realtime,
    routes,
    background: [queue, rejected, ...session.background],
    foreground: [realtime.service, listening, ...session.onceListening, ...samples],
    localUrl: url,
  };
}

function allRoutes(
  deps: ApiHalfDeps,
  realtime: Realtime,
  wsUrl: string,
  signIn: SignIn,
  noteRejected: RejectedDeliveries['note'],
): Route[] {
  const { config, log, deployment, metrics, listener, clock, db, queue } = deps;
  const { sealer } = deployment;
  const forgeClient = forgeClientOf(config, log);
  const guardedFetch = makeGuardedFetch({
    allowedNetworks: config.alertAllowedNetworks,
    allowedPorts: config.alertAllowedPorts,
  });
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
    demo: isDemoDeployment(config),
    retention: {
      runDays: config.runRetentionDays ?? null,
      deliveryDays: config.retentionDays,
      deadLetterDays: deadLetterRetentionDays,
    },
  };
  return [
    ...operationsRoutes({
      db,
      queue,
      metrics,
      metricsToken: config.metricsToken,
      isDraining: realtime.isDraining,
    }),
    ...identityRoutes({ db, signIn, publicConfig }),
    ...integrationRoutes({ db, sealer, clock, log, publicUrl: config.publicUrl }),
    ...memberRoutes({ db }),
    ...invitationRoutes({ db, log, publicUrl: config.publicUrl, sendMail: makeSendMail(config, log) }),
    ...monitoringRoutes({ db, clock, readPosition: readStreamPosition, readChanges: readStreamChanges }),
    ...savedViewRoutes({ db }),
    ...eventLogRoutes({ db }),
    ...deliveryRoutes({ db, sealer, queue }),
    ...alertRoutes({
      db,
      sealer,
      clock,
      publicUrl: config.publicUrl,
      guardedFetch,
      refusal: guardedFetch.refusal,
      sendMail: makeSendMail(config, log),
    }),
    ...realtimeRoutes({ db, mintToken: realtime.mintToken, wsUrl }),
    ...forgeAppRoutes({
      db,
      queue,
      clock,
      enqueue,
      api: forgeClient && makeForgeApi(forgeClient),
      proof: makeSetupProof(deployment.masterKeys),
      role: config.forgeAppMemberRole,
      webhookSecret: config.forgeAppWebhookSecret,
      eventHeaders: config.forgeEventHeaders,
      maxBytes: config.webhookMaxBytes,
      forgeUrl: config.forgeUrl,
      slug: config.forgeAppSlug,
    }),
    ...repositoryRoutes({ db, clock }),
    ...ingestionRoutes({
      db,
      log,
      clock,
      secrets: makeSecretCache({ db, sealer, clock, log }, listener),
      enqueue,
      eventHeaders: config.forgeEventHeaders,
      maxBytes: config.webhookMaxBytes,
      count: makeWebhookCounter(metrics),
      noteRejected,
    }),
  ];
}

function tellRejected(db: Database, integrationId: string, counts: RejectedCounts): Promise<void> {
  return recordLogEntry(db, {
    integrationId,
    type: 'deliveries.rejected',
    severity: 'warning',
    title: describeRejected(counts),
    actorId: null,
    details: counts,
  });
}
