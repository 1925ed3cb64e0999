import { startNode, type Child } from './children.ts';
import { median } from './results/pairs.ts';
import type { Kind } from './programs/webhook-source.ts';
import type { Bench } from './types.ts';

export interface LoadCommand {
  port: number;
  seconds: number;
  connections: number;
  /** Arrivals a second on schedule; left out, each answer is followed by the next request. */
  rate?: number;
  kind?: Kind;
  /** Whether to tell when each job was sent. */
  isTraced?: boolean;
}

/** Latencies are milliseconds. */
export interface LoadSummary {
  /** Answers a second inside the window. */
  rate: number;
  answered: number;
  failed: number;
  /** To the last answer. */
  seconds: number;
  p50: number;
  p99: number;
  /** What the generator itself used. */
  cpuMicros: number;
  /** Milliseconds of the machine's monotonic clock by `integrationId/jobId`. */
  sentAt: Record<string, number>;
}

export interface Load {
  /** @throws when a request was refused: a measurement of errors says nothing. */
  run(command: LoadRequest): Promise<LoadSummary>;
  /** The same, for who tells of `failed` in their result. */
  runAnyway(command: LoadRequest): Promise<LoadSummary>;
}

type LoadRequest = Omit<LoadCommand, 'connections'> & { connections?: number };

const defaultConnections = 64;

export async function startLoad(bench: Bench, targetsFile: string): Promise<Load> {
  const child: Child = await startNode(bench, 'scripts/bench/programs/load-generator.ts', [targetsFile]);
  const runAnyway: Load['runAnyway'] = async (command) =>
    JSON.parse(
      await child.ask(JSON.stringify({ connections: defaultConnections, ...command })),
    ) as LoadSummary;
  return {
    runAnyway,
    run: async (command) => {
      const summary = await runAnyway(command);
      if (summary.failed > 0) throw new Error(`${summary.failed} of ${summary.answered} requests failed`);
      return summary;
    },
  };
}

/** What P1 reached in this run; measured shortly when P1 was not asked for. */
export async function ingressRate(bench: Bench, load: Load, port: number): Promise<number> {
  if (bench.reached.ingressPerSecond !== undefined) return bench.reached.ingressPerSecond;
  const rates: number[] = [];
  for (let window = 0; window < 3; window += 1) rates.push((await load.run({ port, seconds: 2 })).rate);
  bench.reached.ingressPerSecond = median(rates);
  return bench.reached.ingressPerSecond;
}
