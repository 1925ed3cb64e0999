import { setTimeout as delay } from 'node:timers/promises';
import type { CreatedIntegration } from '#server/integrations/create-integration.ts';
import type { SimulatedEvent } from '#server/simulate/event.ts';
import { createSimulator } from '#server/simulate/simulator.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { readMetrics } from '#test/support/product/operator-metrics.ts';
import { cpuMicros } from './cpu.ts';
import type { SignedIn } from './signed-in.ts';
import type { Bench } from './types.ts';

const connections = 16;

/**
 * CPU of the product and Postgres for events, without that of an idle product: periodic work costs the same without events. `isDone` says whether the
 * work that follows from stored events is done.
 */
export async function eventCpu(
  bench: Bench,
  product: SignedIn,
  target: CreatedIntegration,
  events: readonly SimulatedEvent[],
  isDone: () => Promise<boolean>,
): Promise<number> {
  const cpu = () => cpuMicros(product.pid) + cpuMicros(bench.postgresPid());
  await quiet(product.url, isDone);
  const idle = await idleMicrosPerMs(cpu);
  const [startedAt, before] = [performance.now(), cpu()];
  const waiting = [...events];
  await Promise.all(
    Array.from({ length: connections }, async () => {
      for (let event = waiting.shift(); event !== undefined; event = waiting.shift()) {
        const { eventType, payload, deliveryId } = event;
        const { ok, status } = await postWebhook(product.url, target, {
          event: eventType,
          payload,
          deliveryId,
        });
        if (!ok) throw new Error(`a webhook was answered with ${status}`);
      }
    }),
  );
  await quiet(product.url, isDone);
  return cpu() - before - idle * (performance.now() - startedAt);
}

let seed = 0;

export function newEvents(label: string, count: number): SimulatedEvent[] {
  seed += 1;
  return [
    ...createSimulator({ seed: `${label}/${seed}`, startAt: new Date() })
      .stream({ rate: 5 })
      .take(count),
  ];
}

/** Until nothing has waited for a moment: a message can be on its way to become work. */
async function quiet(base: string, isDone: () => Promise<boolean>): Promise<void> {
  for (let looks = 0; looks < 3; looks += 1) {
    await delay(300);
    const metrics = await readMetrics(base);
    if (!/^forgewatch_queue_ready 0$/m.test(metrics) || !(await isDone())) looks = -1;
  }
}

async function idleMicrosPerMs(cpu: () => number): Promise<number> {
  await delay(2000);
  const [startedAt, before] = [performance.now(), cpu()];
  await delay(4000);
  return (cpu() - before) / (performance.now() - startedAt);
}
