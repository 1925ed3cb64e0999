import { disturb } from './disturb.ts';
import type { SimulatedEvent } from './event.ts';
import { startPosting } from './post/post-events.ts';
import { createSimulator } from './simulator.ts';
import type { SampleMark } from './post/encode-event.ts';
import type { PostSummary } from './post/tally.ts';

export interface SimulateOptions {
  baseUrl: string;
  integrationId: string;
  secret: string;
  /** Makes the events sample data, which can be removed again. Without it they are like those of a forge. */
  mark: SampleMark | undefined;
  /** Events a second. */
  rate: number;
  seconds: number;
  seed: string | number;
  /** Sends events out of order. */
  shuffle: boolean;
  /** Share of events that are sent twice, from 0 to 1. */
  duplicates: number;
  concurrency: number;
  /** Receives only the summary, as one line of JSON. */
  stdout: NodeJS.WritableStream;
  /** Receives the progress and the summary as text. */
  stderr: NodeJS.WritableStream;
  /** Called with each event before it is sent. */
  onEvent?: ((event: SimulatedEvent) => void) | undefined;
  /** Stops early, with a summary. */
  signal: AbortSignal;
}

const progressEveryMs = 5_000;

/** Runs `forgewatch simulate`. Resolves to the exit code: 0 when every sent event got a 200, else 1. */
export async function runSimulate(options: SimulateOptions): Promise<number> {
  const { baseUrl, integrationId, secret, mark, rate, seconds, concurrency, signal, stderr, stdout } =
    options;
  const target = { baseUrl, integrationId, secret, mark, concurrency };
  const posting = startPosting({ ...target, rate, seconds, signal, events: simulatedEvents(options) });
  const progress = setInterval(() => {
    const { seconds: elapsed, sent, accepted } = posting.summary();
    stderr.write(`${elapsed.toFixed(0)}/${seconds} s: ${sent} sent, ${accepted} accepted\n`);
  }, progressEveryMs);
  const summary = await posting.done.finally(() => clearInterval(progress));
  stderr.write(describe(summary));
  stdout.write(`${JSON.stringify(summary)}\n`);
  return summary.sent > 0 && summary.accepted === summary.sent ? 0 : 1;
}

function* simulatedEvents({
  seed,
  mark,
  rate,
  duplicates,
  shuffle,
  onEvent,
}: SimulateOptions): Iterable<SimulatedEvent> {
  const timeScale = timeScaleFor(rate);
  const simulator = createSimulator({ seed, startAt: new Date(), timeScale, isSample: mark !== undefined });
  for (const event of disturb(simulator.stream({ rate }), { seed, duplicates, shuffle })) {
    onEvent?.(event);
    yield event;
  }
}

/**
 * Runs take a sixth of their natural time, so that a minute shows runs that start and complete. At high rates they take less,
 * because the number of open lifecycles grows with rate and duration.
 */
function timeScaleFor(rate: number): number {
  return Math.max(6, rate / 150);
}

function describe(summary: PostSummary): string {
  const { sent, accepted, lost, retries, seconds, achievedRate, requestedRate, latencyMs } = summary;
  const rate = `${achievedRate.toFixed(1)}/s of ${requestedRate}/s`;
  const latency =
    latencyMs === null
      ? 'no response'
      : Object.entries(latencyMs)
          .map(([name, ms]) => `${name} ${ms.toFixed(1)} ms`)
          .join(', ');
  const rows = [
    ['sent', `${sent} in ${seconds.toFixed(1)} s, ${rate}, ${(summary.bytes / 2 ** 20).toFixed(1)} MiB`],
    ['accepted', `${accepted}, lost ${lost}, retries ${retries}`],
    ['events', list(summary.byEventType)],
    ['answers', list(summary.byStatus)],
    ['refusals', list(summary.byProblem)],
    ['latency', latency],
  ] as const;
  return rows.map(([name, text]) => `${name.padEnd(10)}${text}\n`).join('');
}

function list(counts: Readonly<Record<string, number>>): string {
  const parts = Object.entries(counts).map(([name, count]) => `${name} ${count}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
}
