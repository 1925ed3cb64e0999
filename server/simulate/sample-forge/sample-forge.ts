import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { makeHttpServer } from '#platform/http/server.ts';
import type { Service } from '#platform/runtime/service.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import type { SimulatedEvent } from '../event.ts';
import { addForgeRoutes, type SampleAccount } from './forge-routes.ts';
import { reportOf, type SampleReport } from './job-report.ts';
import { eventEveryMs, rerunEvents } from './rerun.ts';
import { makeSampleRuns } from './sample-runs.ts';
import { makeSampleTokens } from './sample-tokens.ts';

/** Posts events to the integration in the background. */
export type PostSamples = (integrationId: string, events: SimulatedEvent[], perSecond: number) => void;

export interface SampleForge extends Service {
  url: string;
  /** The token with which the integration sees its sample runs. */
  tokenOf(integrationId: string): string;
  note(integrationId: string, event: SimulatedEvent): void;
  /** Where the events of re-runs go. */
  onRerun(post: PostSamples): void;
  /** Where the reports of tests go. */
  onReport(upload: UploadReport): void;
  /** How an integration is connected to this forge. */
  onConnect(connect: ConnectAccount): void;
}

export type ConnectAccount = (actor: { integrationId: string; actorId: string }) => Promise<void>;

export type UploadReport = (integrationId: string, report: SampleReport) => void;

/** Integrations whose runs are remembered. */
const maxIntegrations = 100;

export interface SampleForgeDeps extends Pick<SharedDeps, 'log' | 'clock'> {
  masterKeys: readonly [Buffer, ...Buffer[]];
  publicUrl: string;
}

/**
 * A forge on loopback that shows the logs of sample runs and re-runs them. It has what was sent since the start. It listens at once,
 * because its address is part of other services.
 */
export async function makeSampleForge({
  clock,
  log,
  masterKeys,
  publicUrl,
}: SampleForgeDeps): Promise<SampleForge> {
  const accounts = new Map<string, SampleAccount>();
  const tokens = makeSampleTokens(masterKeys);
  let post: PostSamples = () => {};
  let upload: UploadReport = () => {};
  let connect: ConnectAccount = async () => {};
  const http = makeHttpServer(log);

  const open = (integrationId: string): SampleAccount => {
    const runs = makeSampleRuns();
    const rerun: SampleAccount['rerun'] = (kind, id) => {
      const events = rerunEvents(runs, kind, id, clock());
      if (typeof events === 'string') return events;
      post(integrationId, events, 1000 / eventEveryMs);
      return undefined;
    };
    const account: SampleAccount = {
      runs,
      rerun,
      note: (event) => {
        runs.note(event);
        const report = reportOf(event, clock());
        if (report !== undefined) upload(integrationId, report);
      },
      connect: (actorId) => connect({ integrationId, actorId }),
    };
    accounts.set(integrationId, account);
    const [oldest] = accounts;
    if (accounts.size > maxIntegrations && oldest !== undefined) accounts.delete(oldest[0]);
    return account;
  };
  const accountOf = (integrationId: string) => accounts.get(integrationId) ?? open(integrationId);
  addForgeRoutes(http, (authorization) => {
    const integrationId = tokens.read(authorization);
    return integrationId === undefined ? undefined : accountOf(integrationId);
  });
  const url = await listenOnLoopback(http, usualPort(publicUrl));
  return {
    name: 'sample forge',
    url,
    start: async () => {},
    stop: () => http.close(),
    tokenOf: tokens.tokenOf,
    note: (integrationId, event) => accountOf(integrationId).note(event),
    onRerun: (to) => {
      post = to;
    },
    onReport: (to) => {
      upload = to;
    },
    onConnect: (how) => {
      connect = how;
    },
  };
}

async function listenOnLoopback(http: FastifyInstance, wanted: number): Promise<string> {
  const listen = (port: number) =>
    http.listen({
      host: '127.0.0.1',
      port,
      listenTextResolver: (address) => `sample forge listening at ${address}`,
    });
  const url = await listen(wanted).catch(() => listen(0));
  // A program that fails while it starts ends nevertheless.
  http.server.unref();
  return url;
}

/** The same for each start with this public URL, because connections store the address. Below the ports of outgoing connections. */
function usualPort(publicUrl: string): number {
  return 15_000 + (createHash('sha256').update(publicUrl).digest().readUInt32BE() % 3_000);
}
