import { randomBytes } from 'node:crypto';
import { makeHttpServer } from '#platform/http/server.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import type { Log } from '#platform/runtime/log.ts';
import type { Service } from '#platform/runtime/service.ts';
import type { SimulatedEvent } from '../event.ts';
import { addForgeRoutes, type SampleAccount } from './forge-routes.ts';
import { eventEveryMs, rerunEvents } from './rerun.ts';
import { makeSampleRuns } from './sample-runs.ts';

/** Posts events to the integration in the background. */
export type PostSamples = (integrationId: string, events: SimulatedEvent[], perSecond: number) => void;

export interface SampleForge extends Service {
  /** The web address. */
  url: string;
  /** The token with which the integration sees its sample runs. */
  tokenOf(integrationId: string): string;
  note(integrationId: string, event: SimulatedEvent): void;
  /** Where the events of re-runs go. */
  onRerun(post: PostSamples): void;
}

/** Integrations whose runs are remembered. */
const maxIntegrations = 100;

/** A forge on loopback that shows the logs of sample runs and re-runs them. It has what was sent since the start. */
export function makeSampleForge({ clock, log, port }: { clock: Clock; log: Log; port: number }): SampleForge {
  const accounts = new Map<string, SampleAccount & { token: string }>();
  const byAuthorization = new Map<string, SampleAccount>();
  let post: PostSamples = () => {};
  const http = makeHttpServer(log);
  addForgeRoutes(http, (authorization) => byAuthorization.get(authorization ?? ''));

  const open = (integrationId: string) => {
    const token = randomBytes(32).toString('hex');
    const runs = makeSampleRuns();
    const rerun: SampleAccount['rerun'] = (kind, id) => {
      const events = rerunEvents(runs, kind, id, clock());
      if (typeof events === 'string') return events;
      post(integrationId, events, 1000 / eventEveryMs);
      return undefined;
    };
    const account = { token, runs, rerun };
    accounts.set(integrationId, account);
    byAuthorization.set(`token ${token}`, account);
    const [oldest] = accounts;
    if (accounts.size > maxIntegrations && oldest !== undefined) {
      accounts.delete(oldest[0]);
      byAuthorization.delete(`token ${oldest[1].token}`);
    }
    return account;
  };
  const accountOf = (integrationId: string) => accounts.get(integrationId) ?? open(integrationId);
  return {
    name: 'sample forge',
    url: `http://127.0.0.1:${port}`,
    start: async () => void (await http.listen({ host: '127.0.0.1', port })),
    stop: () => http.close(),
    tokenOf: (integrationId) => accountOf(integrationId).token,
    note: (integrationId, event) => accountOf(integrationId).runs.note(event),
    onRerun: (to) => {
      post = to;
    },
  };
}
