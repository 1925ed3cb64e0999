import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import pg from 'pg';
import type { CreatedIntegration } from '#server/integrations/create-integration.ts';
import { decodeTraces } from '#test/support/traces/decode-traces.ts';
import { eventCpu, newEvents } from '../event-cpu.ts';
import { inTurn, median, ratioResult } from '../pairs.ts';
import { startSignedIn, type SignedIn } from '../signed-in.ts';
import { prepareTargets } from '../targets.ts';
import type { Bench, Budget } from '../types.ts';

export const p17Traces: Budget = {
  id: 'P17',
  what: 'CPU of serve and Postgres per event with finished runs exported as traces, against without an export',
  run: async (bench) => {
    const size = bench.isQuick ? 2000 : 6000;
    const { databaseUrl, integrations } = await prepareTargets(bench, 'traces', 2);
    const [exported, alone] = integrations as [CreatedIntegration, CreatedIntegration];
    const collector = await startCollector(bench);
    const product = await startSignedIn(bench, 'traces', databaseUrl, {
      part: 'serve',
      settings: {
        ALERT_ALLOWED_NETWORKS: '127.0.0.1/32',
        ALERT_ALLOWED_PORTS: new URL(collector.url).port,
      },
    });
    await saveExport(product, exported.integrationId, collector.url);
    const owner = new pg.Client({ connectionString: databaseUrl });
    await owner.connect();
    bench.onEnd(() => owner.end());
    const isDone = async () => (await owner.query('select from trace_export_runs limit 1')).rows.length === 0;
    const measure = async (target: CreatedIntegration, count: number): Promise<number> => {
      const events = newEvents('traces', count);
      return (await eventCpu(bench, product, { target, events, isDone })) / count;
    };
    await measure(alone, size / 4);
    await measure(exported, size / 4);
    const pairs = await inTurn(
      bench,
      bench.isQuick ? 3 : 7,
      () => measure(exported, size),
      () => measure(alone, size),
    );
    const { runs, spans } = collector.received();
    const micros = (side: 'product' | 'other') => median(pairs.map((pair) => pair[side])).toFixed(0);
    const note =
      `${micros('product')} and ${micros('other')} µs an event, ${runs} runs of ` +
      `${(spans / runs).toFixed(0)} spans`;
    return [ratioResult(p17Traces, pairs, { atMost: 1.15 }, { note, runs })];
  },
};

async function saveExport({ url, browser }: SignedIn, integrationId: string, to: string): Promise<void> {
  const answer = await browser.fetch(`${url}/api/integrations/${integrationId}/trace-export`, {
    method: 'PUT',
    headers: { origin: url, 'content-type': 'application/json' },
    body: JSON.stringify({ url: to, enabled: true }),
  });
  if (!answer.ok) throw new Error(`the export answered ${answer.status}: ${await answer.text()}`);
}

/** A collector on loopback. It runs in this process, whose CPU is not measured. */
async function startCollector(bench: Bench) {
  const received = { runs: 0, spans: 0 };
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const spans = decodeTraces(body);
      received.spans += spans.length;
      received.runs += spans.filter(({ parentSpanId }) => parentSpanId === '').length;
      response.writeHead(200).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  bench.onEnd(async () => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, received: () => received };
}
