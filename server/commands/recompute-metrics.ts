import pg from 'pg';
import { makeLog } from '#platform/runtime/log.ts';
import type { Config } from '#platform/runtime/settings/config.ts';
import { lockStreams } from '#server/realtime/outbox/append-updates.ts';
import { recomputeMetrics } from '#server/rollups/recompute/recompute-metrics.ts';
import { openRuntime } from '#server/runtime.ts';
import type { Command } from './command.ts';

export function recomputeMetricsCommand(config: () => Config): Command {
  return {
    name: 'recompute-metrics',
    summary: 'add new metrics to the stored hours and days, from the stored runs; prints the hours as JSON',
    options: {},
    run: async () => {
      const settings = config();
      const runtime = await openRuntime(settings, makeLog(settings));
      const owner = new pg.Client({ connectionString: runtime.databaseUrl });
      const end = new AbortController();
      for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => end.abort());
      try {
        await owner.connect();
        const done = await recomputeMetrics({
          owner: { query: (text) => owner.query(text) },
          db: runtime.open('forgewatch_worker'),
          lock: lockStreams,
          signal: end.signal,
          say: (text) => process.stderr.write(`${text}\n`),
        });
        process.stdout.write(`${JSON.stringify(done)}\n`);
        return end.signal.aborted ? 1 : 0;
      } finally {
        await owner.end();
        await runtime.close();
      }
    },
  };
}
