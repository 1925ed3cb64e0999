import type { SampleTraffic } from '#contract/integrations/integrations.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { Service } from '#platform/runtime/service.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import type { SimulatedEvent } from './event.ts';
import { createSimulator } from './simulator.ts';
import { beginSamples, readSampleGeneration } from '#server/sample-data/begin-samples.ts';
import type { SampleProofs } from '#server/sample-data/sample-delivery.ts';
import { sampleOwner, sampleRepositories } from '#server/sample-data/sample-repositories.ts';
import { makeReportSender, type ReceiveSampleReport } from './sample-forge/send-reports.ts';
import type { PostSamples, SampleForge } from './sample-forge/sample-forge.ts';
import type { StoryName } from './plan/stories.ts';

interface Actor {
  integrationId: string;
  actorId: string;
}

/** Connects the integration to a forge by access token, unless somebody connected it to another one. */
export type ConnectSamples = (
  actor: Actor,
  forge: { url: string; token: string; account: string; repositories: readonly string[] },
) => Promise<void>;

export interface SampleTrafficDeps extends Pick<SharedDeps, 'db' | 'log' | 'clock'> {
  /** Base URL of this process; undefined until it listens. */
  localUrl(): string | undefined;
  /** The webhook secret of an integration; undefined when it does not exist. */
  readSecret(integrationId: string): Promise<string | undefined>;
  proofs: Pick<SampleProofs, 'proofOf'>;
  connect: ConnectSamples;
  receiveReport: ReceiveSampleReport;
  /** Shows the logs of the sample runs; undefined where it does not run. */
  forge: SampleForge | undefined;
}

export interface SampleSender extends Service {
  /** Starts to send and resolves. @throws AppError `conflict` while earlier sample traffic is being sent, or removed. */
  send(actor: Actor): Promise<SampleTraffic>;
  /** Ends what is being sent to the integration. */
  stopSending(integrationId: string): void;
}

/** Some 500 events in about 25 seconds: enough to fill the pages, and slow enough to watch. */
const ratePerSecond = 20;

/**
 * What a newcomer finds, with the time of its beginning in minutes ago. Each story is over by now, so that no run stays open, and
 * the broken branch comes last, so that nothing repairs it.
 */
const sampleStories: readonly (readonly [StoryName, number])[] = [
  ['deployedChanges', 110],
  ['earlierDays', 100],
  ['nightly', 95],
  ['release', 90],
  ['pullRequest', 85],
  ['recovery', 80],
  ['pullRequest', 75],
  ['deployment', 70],
  ['push', 65],
  ['flakyJob', 60],
  ['push', 58],
  ['forkPullRequest', 56],
  ['push', 55],
  ['brokenBranch', 25],
];

/**
 * Posts some traffic to this process's own webhook URL as the forge would: signed, over HTTP. The state is local to the process,
 * because a demo has only one.
 */
export function makeSampleSender(deps: SampleTrafficDeps): SampleSender {
  const { db, clock, readSecret, connect, forge } = deps;
  const sending = new Map<string, AbortController>();
  const poster = makePoster(deps, (integrationId) => sending.get(integrationId)?.signal);
  const end = (integrationId: string): void => void sending.delete(integrationId);
  const connectTo = ({ url, tokenOf }: SampleForge, actor: Actor): Promise<void> =>
    connect(actor, {
      url,
      token: tokenOf(actor.integrationId),
      account: sampleOwner,
      repositories: sampleRepositories,
    });
  forge?.onRerun((...given) => void poster.post(...given));
  const reports = makeReportSender(deps);
  forge?.onReport(reports.send);
  forge?.onConnect((actor) => connectTo(forge, actor));
  return {
    name: 'sample traffic',
    start: async () => {},
    stop: async () => {
      await Promise.all([poster.stop(), reports.stop()]);
    },
    stopSending: (integrationId) => sending.get(integrationId)?.abort(),
    send: async (actor) => {
      const { integrationId } = actor;
      if ((await readSecret(integrationId)) === undefined)
        throw new AppError('not_found', { detail: 'There is no such integration.' });
      if (sending.has(integrationId))
        throw new AppError('conflict', { detail: 'Sample traffic is already being sent.' });
      sending.set(integrationId, new AbortController());
      try {
        await beginSamples(db, integrationId);
        if (forge !== undefined) await connectTo(forge, actor);
      } catch (error) {
        end(integrationId);
        throw error;
      }
      const events = sampleEvents(clock());
      void poster.post(integrationId, events, ratePerSecond).finally(() => end(integrationId));
      return { events: events.length, seconds: Math.ceil(events.length / ratePerSecond) };
    },
  };
}

/** Posts events in the background until `stop`, or until the signal of the integration. */
function makePoster(
  { db, log, localUrl, readSecret, proofs: { proofOf }, forge }: SampleTrafficDeps,
  signalOf: (integrationId: string) => AbortSignal | undefined,
) {
  const open = new Set<Promise<void>>();
  const stopping = new AbortController();
  /** Notes each event at the sample forge before it is sent. */
  const noted = function* (integrationId: string, events: readonly SimulatedEvent[]) {
    for (const event of events) {
      forge?.note(integrationId, event);
      yield event;
    }
  };
  const post = async (
    integrationId: string,
    events: readonly SimulatedEvent[],
    rate: number,
  ): Promise<void> => {
    const [baseUrl, secret] = [localUrl(), await readSecret(integrationId)];
    const generation = await readSampleGeneration(db, integrationId);
    if (baseUrl === undefined || secret === undefined || generation === undefined) return;
    // Imported on first use, so that the start does not load the HTTP client.
    const { postEvents } = await import('./post/post-events.ts');
    const mark = { integrationId, generation, proofOf };
    const options = { events: noted(integrationId, events), rate, concurrency: 4 };
    const signal = AbortSignal.any([stopping.signal, signalOf(integrationId) ?? stopping.signal]);
    const { sent, accepted } = await postEvents({ baseUrl, integrationId, secret, mark, signal, ...options });
    log.info({ integrationId, sent, accepted }, 'sample traffic sent');
  };
  return {
    post: (...given: Parameters<PostSamples>): Promise<void> => {
      const [integrationId] = given;
      const posting = post(...given)
        .catch((error: unknown) => log.warn({ err: error, integrationId }, 'sample traffic failed'))
        .finally(() => open.delete(posting));
      open.add(posting);
      return posting;
    },
    stop: async (): Promise<void> => {
      stopping.abort();
      await Promise.all(open);
    },
  };
}

/** The events of the stories in order, the last one at the latest now. */
export function sampleEvents(now: number): SimulatedEvent[] {
  const simulator = createSimulator({ seed: 'sample', startAt: new Date(now), isSample: true });
  return sampleStories
    .flatMap(([name, minutesAgo]) => simulator.story(name, now - minutesAgo * 60_000))
    .toSorted((one, other) => one.at - other.at);
}
