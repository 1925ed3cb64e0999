import type { SampleTraffic } from '#contract/integrations.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import type { Log } from '#platform/runtime/log.ts';
import type { Service } from '#platform/runtime/service.ts';
import type { SimulatedEvent } from './event.ts';
import { createSimulator } from './lifecycle.ts';

export interface SampleTrafficDeps {
  clock: Clock;
  log: Log;
  /** Of this product itself; undefined until it listens. */
  localUrl(): string | undefined;
  /** What the forge of an integration would sign with; undefined when there is no such integration. */
  readSecret(integrationId: string): Promise<string | undefined>;
}

export interface SampleSender extends Service {
  /** Resolves as soon as the first events are on their way. @throws AppError `conflict` while others still are. */
  send(integrationId: string): Promise<SampleTraffic>;
}

/** Some 400 events in some 20 seconds: enough to fill the pages, and slow enough to be watched. */
const lifecycles = 14;
const ratePerSecond = 20;
/** Most lifecycles take less. Durations stay natural, so all of it lies in the past. */
const beganMsAgo = 20 * 60_000;

/**
 * Posts a little traffic to the product's own webhook address, as the forge would: correctly signed, over HTTP. What is
 * under way is known to this process alone: a demo has no other.
 */
export function makeSampleSender({ clock, log, localUrl, readSecret }: SampleTrafficDeps): SampleSender {
  const underWay = new Map<string, Promise<void>>();
  const stopping = new AbortController();

  const post = async (integrationId: string, secret: string, events: SimulatedEvent[]): Promise<void> => {
    const baseUrl = localUrl();
    if (baseUrl === undefined) return;
    // Its HTTP client is loaded by the first trial: a start does without.
    const { postEvents } = await import('./post-events.ts');
    const options = { events, rate: ratePerSecond, concurrency: 4, signal: stopping.signal };
    const { sent, accepted } = await postEvents({ baseUrl, integrationId, secret, ...options });
    log.info({ integrationId, sent, accepted }, 'sample traffic was sent');
  };
  return {
    name: 'sample traffic',
    start: async () => {},
    stop: async () => {
      stopping.abort();
      await Promise.all(underWay.values());
    },
    send: async (integrationId) => {
      const secret = await readSecret(integrationId);
      if (secret === undefined) throw new AppError('not_found');
      if (underWay.has(integrationId))
        throw new AppError('conflict', { detail: 'Sample traffic is still on its way.' });
      const events = sampleEvents(clock());
      const posting = post(integrationId, secret, events)
        .catch((error: unknown) => log.warn({ err: error, integrationId }, 'sample traffic failed'))
        .finally(() => underWay.delete(integrationId));
      underWay.set(integrationId, posting);
      return { events: events.length, seconds: Math.ceil(events.length / ratePerSecond) };
    },
  };
}

/** In true order, from runs that began at about the same time. All of them end: none would be seen running for ever. */
export function sampleEvents(now: number): SimulatedEvent[] {
  const simulator = createSimulator({ seed: now, startAt: new Date(now - beganMsAgo) });
  return Array.from({ length: lifecycles }, () => simulator.nextLifecycle())
    .filter((lifecycle) => lifecycle.every(({ at }) => at <= now))
    .flat()
    .toSorted((one, other) => one.at - other.at);
}
