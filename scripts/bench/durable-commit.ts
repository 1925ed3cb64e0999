import pg from 'pg';
import { percentile } from './results/pairs.ts';

/** Milliseconds. */
export interface Latency {
  p50: number;
  p99: number;
}

export interface CommitProbe {
  measure(seconds: number): Promise<Latency>;
  close(): Promise<void>;
}

const rowBytes = 2048;

/** Measures the disk: one row of 2 KB per commit, one after the other, on one connection. */
export async function openCommitProbe(databaseUrl: string): Promise<CommitProbe> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('create table bench_commits (id bigint generated always as identity, body bytea)');
  const statement = {
    name: 'commit',
    text: 'insert into bench_commits (body) values ($1)',
    values: [Buffer.alloc(rowBytes, 7)],
  };
  return {
    measure: async (seconds) => {
      const latencies: number[] = [];
      const endAt = performance.now() + seconds * 1000;
      for (let startedAt = performance.now(); startedAt < endAt; startedAt = performance.now()) {
        await client.query(statement);
        latencies.push(performance.now() - startedAt);
      }
      return { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) };
    },
    close: () => client.end(),
  };
}
