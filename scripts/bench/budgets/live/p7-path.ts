import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import { percentile } from '../../results/pairs.ts';
import { startProduct } from '../../product.ts';
import { startStatementCounter } from '../../statement-counter.ts';
import { prepareTargets } from '../../targets.ts';
import type { Budget } from '../../types.ts';
import { socketUrls } from './p7-live.ts';

const limits = { statements: 10, roundTrips: 3 } as const;

export const p7Path: Budget = {
  id: 'P7 path',
  what: 'from POST to the frame of one event alone, in one process: statements and serial round trips to Postgres',
  run: async (bench) => {
    const { databaseUrl, integrations } = await prepareTargets(bench, 'path', 1);
    const [integration] = integrations;
    const counter = await startStatementCounter(bench, databaseUrl);
    const { ready } = await startProduct(bench, 'serve', counter.databaseUrl);
    const [url] = await socketUrls(databaseUrl, ready, bench.masterKey);
    const socket = new WebSocket(url!);
    bench.onEnd(async () => socket.terminate());
    await once(socket, 'open');
    const frames: number[] = [];
    socket.on('message', (frame: Buffer) => {
      const { type, data } = JSON.parse(frame.toString()) as { type: string; data?: { runId: number } };
      if (type === 'workflow_run' && data !== undefined) frames.push(data.runId);
    });
    const seen: { statements: number; roundTrips: number }[] = [];
    for (let id = 1; id <= 25; id += 1) {
      await delay(200);
      const taken = counter.watch();
      const frame = new Promise<void>((resolve) => {
        const check = (): void => {
          if (!frames.includes(id)) return;
          socket.off('message', check);
          seen.push(taken());
          resolve();
        };
        socket.on('message', check);
      });
      await postWebhook(ready, integration!, { event: 'workflow_run', payload: runPayload({ id }) });
      await frame;
    }
    // Periodic tasks and the next claim, which may arrive before the frame, add to many events. A task may also hide a round trip.
    const statements = Math.min(...seen.map((one) => one.statements));
    const roundTrips = percentile(
      seen.map((one) => one.roundTrips),
      0.25,
    );
    return [
      {
        id: p7Path.id,
        what: p7Path.what,
        measured: `${statements} and ${roundTrips}`,
        budget: `≤ ${limits.statements} and ≤ ${limits.roundTrips}`,
        met: statements <= limits.statements && roundTrips <= limits.roundTrips,
        figures: { statements, roundTrips },
      },
    ];
  },
};
