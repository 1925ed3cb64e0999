import type { FastifyInstance } from 'fastify';
import { unqueuedReasons } from '#contract/deliveries/deliveries.ts';
import type { Database, Tx } from '#platform/database/database.ts';
import { clientAddress } from '#platform/http/chain/client-address.ts';
import { upgradeInTurns } from '#platform/http/listening/bound-reads.ts';
import { listen } from '#platform/http/listening/listen.ts';
import { localUrl } from '#platform/http/listening/local-url.ts';
import { makeHttpServer } from '#platform/http/server.ts';
import type { Service } from '#platform/runtime/service.ts';
import { installApiReference } from '#platform/http/api-reference/api-reference.ts';
import { installChain } from '#platform/http/chain/chain.ts';
import { publicPrefixes } from '#platform/http/chain/public-prefixes.ts';
import { registerRoutes } from '#platform/http/register.ts';
import { installWebSite } from '#platform/http/web-site.ts';
import { makeUnqueuedRecorder } from '#server/deliveries/unqueued/record-unqueued.ts';
import { recordLogEntry } from '#server/event-log/add-entry.ts';
import { connectSamples, disconnectSamples } from '#server/forge-connections/connect-samples.ts';
import { makeForges, type ForgeModule } from '#server/forges/make-forges.ts';
import {
  describeRejected,
  makeRejectionReporter,
  type RejectedCounts,
} from '#server/ingestion/report-rejected.ts';
import type { ReceiveDeps } from '#server/ingestion/receive-integration-webhook.ts';
import type { Quotas } from '#server/quotas/quotas.ts';
import { readCurrentSecret } from '#server/integrations/secrets/webhook-secret.ts';
import { readObjects, type ObjectPointer } from '#server/runs/read-objects.ts';
import { makeRealtime, type Realtime } from '#server/realtime/realtime.ts';
import { sampleTrafficRoutes } from '#server/simulate/routes.ts';
import { sampleDataRoutes } from '#server/sample-data/routes.ts';
import { makeSampleProofs } from '#server/sample-data/sample-delivery.ts';
import { sampleOwner } from '#server/sample-data/sample-repositories.ts';
import {
  makeSampleSender,
  type SampleSender,
  type SampleTrafficDeps,
} from '#server/simulate/sample-traffic.ts';
import { measureRequests } from '#server/operations/service-metrics.ts';
import { noteChanges } from '#server/api-tokens/note-changes.ts';
import { publicPrefixes as badgePrefixes } from '#server/badges/routes.ts';
import { publicPrefixes as forgeAppPrefixes } from '#server/forge-app/routes.ts';
import type { SignIn } from '#server/identity/sign-in.ts';
import { publicPrefixes as ingestionPrefixes } from '#server/ingestion/routes.ts';
import { requireRole } from '#server/members/require-role.ts';
import { publicPrefixes as mailPrefixes } from '#server/personal-notifications/routes.ts';
import { makeReceiveReport } from '#server/test-results/arrival/receive-report.ts';
import { publicPrefixes as jobTokenPrefixes } from '#server/test-results/job-routes.ts';
import { publicPrefixes as wallboardPrefixes } from '#server/wallboard/routes.ts';
import packageJson from '../package.json' with { type: 'json' };
import { apiExamples } from './api-examples.ts';
import { apiSchemas } from './api-schemas.ts';
import { apiWebhooks } from './api-webhooks.ts';
import { NameCache, withNames } from '#server/runs/names/stored-names.ts';
import { apiRoutes } from './api-routes.ts';
import type { ApiDeps } from './role-deps.ts';
import { accessRules, checkRoutes, type Route } from './route.ts';
import { makeSignInModules, type SignInModules } from './make-sign-in.ts';

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
  const { config, log, queue, quotas } = deps;
  const wsUrl = `${config.publicUrl.replace(/^http/, 'ws')}/ws`;
  const names = new NameCache(deps.db);
  const realtime = realtimeOf(deps, names, new URL(wsUrl).pathname);
  const http = makeHttpServer(log, {
    trustedProxies: config.trustedProxies,
    closeWithinMs: config.workerTimeoutMs,
  });
  const url = (): string | undefined => localUrl(http.server.address());
  const { signIn, ...session } = await makeSignInModules({ ...deps, localUrl: url });
  const { recordUnqueued, services: recorders } = unqueuedRecorders(deps);
  const forges = forgesOf(deps);
  const sampleProofs = makeSampleProofs(deps.runtime.masterKeys);
  const samples = config.demoSignIn
    ? [sampleSenderOf(deps, { forges, quotas, proofs: sampleProofs, localUrl: url })]
    : [];
  const routes = [
    ...apiRoutes(deps, { realtime, wsUrl, signIn, recordUnqueued, quotas, forges, sampleProofs }).map((row) =>
      withNames(deps.db, names, row),
    ),
    ...sampleRoutes(deps, samples),
    ...session.routes,
  ];
  await installHttp(http, deps, { routes, session, authenticate: signIn.authenticate, wsUrl });
  http.server.on('upgrade', upgradeInTurns(realtime.handleUpgrade));
  const listening: Service = {
    name: 'http',
    start: () => listen(http, config, 'PORT', config.metricsPort),
    stop: async () => {
      // WebSockets first, because closing the server waits for all connections.
      await realtime.drain();
      await http.close();
    },
  };
  return {
    realtime,
    routes,
    background: [queue, ...recorders, ...session.background],
    foreground: [realtime.service, listening, ...session.onceListening, ...samples],
    localUrl: url,
    demoAddress: session.demoAddress,
  };
}

interface HttpParts {
  routes: readonly Route[];
  session: Pick<SignInModules, 'publicPrefixes' | 'mount'>;
  authenticate: SignIn['authenticate'];
  wsUrl: string;
}

/** Installs what each request passes, the routes, and the web app. */
async function installHttp(
  http: FastifyInstance,
  { config, db, metrics }: ApiDeps,
  { routes, session, authenticate, wsUrl }: HttpParts,
): Promise<void> {
  const prefixes = [
    ...ingestionPrefixes,
    ...forgeAppPrefixes,
    ...badgePrefixes,
    ...mailPrefixes,
    ...wallboardPrefixes,
    ...jobTokenPrefixes,
    ...session.publicPrefixes,
  ];
  checkRoutes(routes, prefixes);
  const anySession = new Set(routes.flatMap(({ access, path }) => (access === 'any-session' ? [path] : [])));
  await installChain(http, {
    allowedOrigins: config.webOrigins,
    isPublic: publicPrefixes(prefixes),
    readsCookiesItself: (path) => anySession.has(path),
    authenticate,
  });
  noteChanges(http, db);
  measureRequests(http, metrics);
  await installApiReference(http, {
    version: packageJson.version,
    baseUrl: config.publicUrl,
    schemas: apiSchemas,
    examples: apiExamples,
    webhooks: apiWebhooks,
  });
  await registerRoutes(http, routes, {
    ...accessRules((minimum) => requireRole(db, minimum)),
    callerLimit: {
      perMinute: config.apiRequestsPerMinute,
      by: ({ caller }) => caller?.token?.tokenId ?? caller?.userId,
      isAnnounced: true,
    },
  });
  await session.mount(http);
  await installWebSite(http, new URL(wsUrl).origin);
}

function realtimeOf(
  { config, db, listener, log, metrics, runtime }: ApiDeps,
  names: NameCache,
  path: string,
): Realtime {
  return makeRealtime({
    db,
    listener,
    log,
    metrics,
    tokenKeys: config.wsTokenSecret ?? runtime.masterKeys,
    audience: config.publicUrl,
    allowedOrigins: config.webOrigins,
    path,
    loadUpdates: (tx, pointers) => readShownObjects(tx, pointers, names),
    addressOf: clientAddress(config.trustedProxies),
  });
}

async function readShownObjects(
  tx: Tx,
  pointers: readonly ObjectPointer[],
  names: NameCache,
): ReturnType<typeof readObjects> {
  const integrationIds = [...new Set(pointers.map(({ integrationId }) => integrationId))];
  const [objects, shown] = await Promise.all([readObjects(tx, pointers), names.readIn(tx, integrationIds)]);
  return objects.map((object, index) => shown.show(pointers[index]!.integrationId, object));
}

/** Record deliveries that are answered without being queued. */
function unqueuedRecorders({ db, log }: ApiDeps) {
  const rejected = makeRejectionReporter({ log, notify: (id, counts) => logRejected(db, id, counts) });
  const recorder = makeUnqueuedRecorder({ db, log });
  const recordUnqueued: ReceiveDeps['recordUnqueued'] = (delivery) => {
    recorder.note(delivery);
    // The event log tells of a quota once a day.
    if (unqueuedReasons[delivery.reason] === 'refused' && delivery.reason !== 'quota_exceeded')
      rejected.note(delivery.integrationId, delivery.reason);
  };
  return { recordUnqueued, services: [rejected, recorder] };
}

function forgesOf({ config, db, log, runtime: { sealer }, sampleForge }: ApiDeps): ForgeModule {
  return makeForges({
    db,
    log,
    config,
    sealer,
    priority: 'interactive',
    sampleForgeUrl: sampleForge?.url,
  });
}

function sampleSenderOf(
  { db, clock, log, disk, runtime: { sealer }, sampleForge }: ApiDeps,
  {
    forges,
    quotas,
    ...parts
  }: { forges: ForgeModule; quotas: Quotas } & Pick<SampleTrafficDeps, 'proofs' | 'localUrl'>,
): SampleSender {
  const stores = { db, sealer, clock, log };
  return makeSampleSender({
    db,
    clock,
    log,
    ...parts,
    readSecret: (id) => readCurrentSecret(stores, id),
    connect: (...given) => connectSamples({ ...stores, forges }, ...given),
    receiveReport: makeReceiveReport({ db, sealer, quotas, disk }),
    forge: sampleForge,
  });
}

function sampleRoutes({ db }: ApiDeps, samples: readonly SampleSender[]): Route[] {
  return [
    ...sampleDataRoutes({
      db,
      disconnect: (tx, integrationId) => disconnectSamples(tx, integrationId, sampleOwner),
      stopSending: (integrationId) => samples.forEach((each) => each.stopSending(integrationId)),
    }),
    ...samples.flatMap(sampleTrafficRoutes),
  ];
}

function logRejected(db: Database, integrationId: string, counts: RejectedCounts): Promise<void> {
  return recordLogEntry(db, {
    integrationId,
    type: 'deliveries.rejected',
    severity: 'warning',
    title: describeRejected(counts),
    details: counts,
  });
}
