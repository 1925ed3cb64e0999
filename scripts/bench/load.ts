import { startNode, type Child } from './children.ts';
import type { Kind } from './programs/webhook-source.ts';
import type { Bench } from './types.ts';

export interface LoadCommand {
  port: number;
  seconds: number;
  connections: number;
  /** Requests a second on schedule. Default: each response is followed by the next request. */
  rate?: number;
  kind?: Kind;
  /** Whether to report when each job was sent. */
  isTraced?: boolean;
}

/** Latencies are milliseconds. */
export interface LoadSummary {
  /** Responses a second within the measured time. */
  rate: number;
  answered: number;
  failed: number;
  /** Time until the last response. */
  seconds: number;
  p50: number;
  p99: number;
  /** CPU time of the generator itself. */
  cpuMicros: number;
  /** Milliseconds of the machine's monotonic clock by `integrationId/jobId`. */
  sentAt: Record<string, number>;
}

export interface Load {
  /** @throws when a request fails, because the measurement is then invalid. */
  run(command: LoadRequest): Promise<LoadSummary>;
  /** Does not throw. For results that report `failed`. */
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
