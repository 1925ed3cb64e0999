import pg from 'pg';
import { realtimePolicy } from '#server/realtime/policy.ts';
import { makeTokens } from '#server/realtime/handshake/ws-token.ts';
import { startNode, type Child } from '../children.ts';
import { startLoad, type Load } from '../load.ts';
import { inTurn, median, percentile, pick, ratioResult } from '../pairs.ts';
import { portOf, publicUrl, startProduct } from '../product.ts';
import { prepareTargets } from '../targets.ts';
import type { Budget } from '../types.ts';

const eventsPerSecond = 200;
/** A person may have 10 sockets, so each integration has two viewers. */
const integrations = 25;
export const viewersOfEach = 2;
const socketsOfPerson = 10;
const socketsOfEach = viewersOfEach * socketsOfPerson;
const limits = { p50: 12, p99: 20 } as const;

export const p7: Budget = {
  id: 'P7',
  what: 'from POST to the frame, 200 events/s, 500 sockets, against a commit and a round trip',
  run: async (bench) => {
    const { databaseUrl, file } = await prepareTargets(bench, 'live', integrations);
    const { ready } = await startProduct(bench, 'serve', databaseUrl);
    const bare = await startNode(bench, 'scripts/bench/programs/bare-server.ts', [file]);
    const load = await startLoad(bench, file);
    const clients = await startNode(bench, 'scripts/bench/programs/socket-clients.ts');
    for (const url of await socketUrls(databaseUrl, ready, bench.masterKey))
      await clients.ask(`open ${url} ${socketsOfPerson}`);
    const probe = await openCommitProbe(databaseUrl);
    bench.onEnd(() => probe.close());
    const product = (seconds: number) => postToFrame(load, portOf(ready), clients, seconds);
    await product(2);
    await probe.measure(1);
    const pairs = await inTurn<Latency>(
      bench,
      bench.isQuick ? 5 : 7,
      () => product(3),
      () => commitAndRoundTrip(probe, load, Number(bare.ready)),
    );
    return (['p50', 'p99'] as const).map((which) =>
      ratioResult(
        { id: `P7 ${which}`, what: p7.what },
        pick(pairs, (side) => side[which]),
        { atMost: limits[which] },
        {
          note: `${median(pairs.map((pair) => pair.product[which])).toFixed(1)} ms`,
        },
      ),
    );
  },
};

async function postToFrame(load: Load, port: number, clients: Child, seconds: number): Promise<Latency> {
  const { sentAt } = await load.run({ port, seconds, rate: eventsPerSecond, kind: 'first', isTraced: true });
  const jobs = Object.keys(sentAt).length;
  const arrivals = JSON.parse(await clients.ask(`arrivals ${jobs * socketsOfEach}`)) as Record<
    string,
    number[]
  >;
  const latencies = Object.entries(sentAt).flatMap(([job, at]) => {
    const times = arrivals[job] ?? [];
    // A frame that never arrived counts as the slowest.
    return Array.from(
      { length: socketsOfEach },
      (_, index) => (times[index] ?? Number.POSITIVE_INFINITY) - at,
    );
  });
  return { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) };
}

async function commitAndRoundTrip(probe: CommitProbe, load: Load, barePort: number): Promise<Latency> {
  const commit = await probe.measure(2);
  const trip = await load.run({ port: barePort, seconds: 1, connections: 1 });
  return { p50: commit.p50 + trip.p50, p99: commit.p99 + trip.p99 };
}

/** Creates the viewers of each integration, and a socket URL with a token for each of them. */
export async function socketUrls(databaseUrl: string, base: string, masterKey: Buffer): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    `insert into users (cognito_id) select integration_id || ' ' || n from integrations, generate_series(1, $1::int) n`,
    [viewersOfEach],
  );
  const { rows } = await client.query<{ user_id: string; integration_id: string }>(
    `insert into memberships (integration_id, user_id, role)
     select split_part(u.cognito_id, ' ', 1)::uuid, u.user_id, 'viewer' from users u where u.cognito_id like '% %'
     returning user_id, integration_id`,
  );
  await client.end();
  const tokens = makeTokens({ keys: [masterKey], audience: publicUrl, policy: realtimePolicy });
  return rows.map(({ user_id: userId, integration_id: integrationId }) => {
    const { token } = tokens.mint({
      userId,
      sessionId: 'bench',
      integrationIds: [integrationId],
      now: Date.now(),
    });
    return `ws://127.0.0.1:${portOf(base)}/ws?token=${token}&channel=workflows`;
  });
}

/** Milliseconds. */
interface Latency {
  p50: number;
  p99: number;
}

interface CommitProbe {
  measure(seconds: number): Promise<Latency>;
  close(): Promise<void>;
}

const rowBytes = 2048;

/** Measures the disk: one row of 2 KB per commit, one after the other, on one connection. */
async function openCommitProbe(databaseUrl: string): Promise<CommitProbe> {
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
