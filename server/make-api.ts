import { unqueuedReasons } from '#contract/deliveries/deliveries.ts';
import type { Database } from '#platform/database/database.ts';
import { installApiReference } from '#platform/http/api-reference/api-reference.ts';
import { installChain } from '#platform/http/chain/chain.ts';
import { clientAddress } from '#platform/http/chain/client-address.ts';
import { listen } from '#platform/http/listening/listen.ts';
import { localUrl } from '#platform/http/listening/local-url.ts';
import { publicPrefixes } from '#platform/http/chain/public-prefixes.ts';
import { registerRoutes } from '#platform/http/register.ts';
import { makeHttpServer } from '#platform/http/server.ts';
import { installWebSite } from '#platform/http/web-site.ts';
import type { Service } from '#platform/runtime/service.ts';
import { noteChanges } from '#server/api-tokens/note-changes.ts';
import { makeUnqueuedRecorder } from '#server/deliveries/unqueued/record-unqueued.ts';
import { recordLogEntry } from '#server/event-log/add-entry.ts';
import { connectSamples, disconnectSamples } from '#server/forge-connections/connect-samples.ts';
import { publicPrefixes as badgePrefixes } from '#server/badges/routes.ts';
import { publicPrefixes as forgeAppPrefixes } from '#server/forge-app/routes.ts';
import { makeForges } from '#server/forges/make-forges.ts';
import {
  describeRejected,
  makeRejectionReporter,
  type RejectedCounts,
} from '#server/ingestion/report-rejected.ts';
import type { ReceiveDeps } from '#server/ingestion/receive-integration-webhook.ts';
import { publicPrefixes as wallboardPrefixes } from '#server/wallboard/routes.ts';
import { publicPrefixes as ingestionPrefixes } from '#server/ingestion/routes.ts';
import { publicPrefixes as mailPrefixes } from '#server/personal-notifications/routes.ts';
import { readCurrentSecret } from '#server/integrations/secrets/webhook-secret.ts';
import { requireRole } from '#server/members/require-role.ts';
import { readObjects } from '#server/runs/read-objects.ts';
import { makeRealtime, type Realtime } from '#server/realtime/realtime.ts';
import { sampleTrafficRoutes } from '#server/simulate/routes.ts';
import { sampleDataRoutes } from '#server/sample-data/routes.ts';
import { makeSampleProofs } from '#server/sample-data/sample-delivery.ts';
import { sampleOwner } from '#server/sample-data/sample-repositories.ts';
import { makeSampleSender, type ConnectSamples } from '#server/simulate/sample-traffic.ts';
import packageJson from '../package.json' with { type: 'json' };
import { apiRoutes } from './api-routes.ts';
import { apiExamples } from './api-examples.ts';
import { apiSchemas } from './api-schemas.ts';
import { apiWebhooks } from './api-webhooks.ts';
import type { ApiDeps } from './role-deps.ts';
import { accessRules, checkRoutes, type Route } from './route.ts';
import { makeSignInModules } from './make-sign-in.ts';

export interface Api {
  realtime: Realtime;
  /** The route table. */
  routes: readonly Route[];
  /** Started before requests are accepted, stopped last. */
  background: readonly Service[];
  /** Accept requests: started last, stopped first. */
  foreground: readonly Service[];
  localUrl(): string | undefined;
  /** URL of the demo sign-in; undefined where it is not available. */
  demoAddress: string | undefined;
}

/** The api role: HTTP, WebSockets and the web app. */
export async function makeApi(deps: ApiDeps): Promise<Api> {
  const { config, log, runtime, metrics, listener, clock, db, queue, sampleForge } = deps;
  const wsUrl = `${config.publicUrl.replace(/^http/, 'ws')}/ws`;
  const realtime = makeRealtime({
    db,
    listener,
    log,
    metrics,
    tokenKeys: config.wsTokenSecret ?? runtime.masterKeys,
    isSingleUse: config.wsTokenSingleUse,
    audience: config.publicUrl,
    allowedOrigins: config.webOrigins,
    path: new URL(wsUrl).pathname,
    loadUpdates: readObjects,
    addressOf: clientAddress(config.trustedProxies),
  });
  const http = makeHttpServer(log, {
    trustedProxies: config.trustedProxies,
    closeWithinMs: config.workerTimeoutMs,
  });
  const url = (): string | undefined => localUrl(http.server.address());
  const { signIn, ...session } = await makeSignInModules({ ...deps, localUrl: url });
  const rejected = makeRejectionReporter({ log, notify: (id, counts) => logRejected(db, id, counts) });
  const recorder = makeUnqueuedRecorder({ db, log });
  const recordUnqueued: ReceiveDeps['recordUnqueued'] = (delivery) => {
    recorder.note(delivery);
    if (unqueuedReasons[delivery.reason] === 'refused')
      rejected.note(delivery.integrationId, delivery.reason);
  };
  const readSecret = (id: string) => readCurrentSecret({ db, sealer: runtime.sealer, clock, log }, id);
  const { sealer } = runtime;
  const forges = makeForges({
    db,
    log,
    config,
    sealer,
    priority: 'interactive',
    sampleForgeUrl: sampleForge?.url,
  });
  const connect: ConnectSamples = (...given) => connectSamples({ db, sealer, clock, forges }, ...given);
  const sampleProofs = makeSampleProofs(runtime.masterKeys);
  const samples = config.demoSignIn
    ? [
        makeSampleSender({
          db,
          clock,
          log,
          localUrl: url,
          readSecret,
          proofs: sampleProofs,
          connect,
          forge: sampleForge,
        }),
      ]
    : [];
  const routes = [
    ...apiRoutes(deps, { realtime, wsUrl, signIn, recordUnqueued, forges, sampleProofs }),
    ...sampleDataRoutes({
      db,
      disconnect: (tx, integrationId) => disconnectSamples(tx, integrationId, sampleOwner),
      stopSending: (integrationId) => samples.forEach((each) => each.stopSending(integrationId)),
    }),
    ...samples.flatMap(sampleTrafficRoutes),
    ...session.routes,
  ];
  const prefixes = [
    ...ingestionPrefixes,
    ...forgeAppPrefixes,
    ...badgePrefixes,
    ...mailPrefixes,
    ...wallboardPrefixes,
    ...session.publicPrefixes,
  ];
  checkRoutes(routes, prefixes);
  const anySession = new Set(routes.flatMap(({ access, path }) => (access === 'any-session' ? [path] : [])));
  await installChain(http, {
    allowedOrigins: config.webOrigins,
    isPublic: publicPrefixes(prefixes),
    readsCookiesItself: (path) => anySession.has(path),
    authenticate: signIn.authenticate,
  });
  noteChanges(http, db);
  await installApiReference(http, {
    version: packageJson.version,
    baseUrl: config.publicUrl,
    schemas: apiSchemas,
    examples: apiExamples,
    webhooks: apiWebhooks,
  });
  await registerRoutes(http, routes, {
    ...accessRules((minimum) => requireRole(db, minimum)),
    callerLimit: { perMinute: config.apiRequestsPerMinute, by: 'caller', isAnnounced: true },
  });
  await session.mount(http);
  await installWebSite(http, new URL(wsUrl).origin);
  http.server.on('upgrade', realtime.handleUpgrade);

  const listening: Service = {
    name: 'http',
    start: () => listen(http, config, 'PORT'),
    stop: async () => {
      // WebSockets first, because closing the server waits for all connections.
      await realtime.drain();
      await http.close();
    },
  };
  return {
    realtime,
    routes,
    background: [queue, rejected, recorder, ...session.background],
    foreground: [realtime.service, listening, ...session.onceListening, ...samples],
    localUrl: url,
    demoAddress: session.demoAddress,
  };
}

function logRejected(db: Database, integrationId: string, counts: RejectedCounts): Promise<void> {
  return recordLogEntry(db, {
    integrationId,
    type: 'deliveries.rejected',
    severity: 'warning',
    title: describeRejected(counts),
    actorId: null,
    details: counts,
  });
}
