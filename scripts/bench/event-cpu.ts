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

export interface SentEvents {
  target: CreatedIntegration;
  events: readonly SimulatedEvent[];
  /** On schedule. Default: each response is followed by the next request. */
  perSecond?: number;
  /** Whether the work that follows from stored events is done. */
  isDone(): Promise<boolean>;
}

/** CPU of the product and Postgres for events, without that of an idle product: periodic work costs the same without events. */
export async function eventCpu(bench: Bench, product: SignedIn, sent: SentEvents): Promise<number> {
  const cpu = () => cpuMicros(product.pid) + cpuMicros(bench.postgresPid());
  await quiet(product.url, sent.isDone);
  const idle = await idleMicrosPerMs(cpu);
  const startedAt = performance.now();
  const micros = await allCpu(bench, product, sent);
  return micros - idle * (performance.now() - startedAt);
}

/** CPU of the product and Postgres until events are stored and what follows from them is done, periodic tasks included. */
export async function allCpu(
  bench: Bench,
  product: SignedIn,
  { target, events, perSecond, isDone }: SentEvents,
): Promise<number> {
  const cpu = () => cpuMicros(product.pid) + cpuMicros(bench.postgresPid());
  await quiet(product.url, isDone);
  const [startedAt, before] = [performance.now(), cpu()];
  const waiting = events.entries();
  const send = async (): Promise<void> => {
    for (const [index, { eventType, payload, deliveryId }] of waiting) {
      const waitMs = perSecond === undefined ? 0 : startedAt + (index * 1000) / perSecond - performance.now();
      if (waitMs > 0) await delay(waitMs);
      const { ok, status } = await postWebhook(product.url, target, {
        event: eventType,
        payload,
        deliveryId,
      });
      if (!ok) throw new Error(`a webhook was answered with ${status}`);
    }
  };
  await Promise.all(Array.from({ length: connections }, send));
  await quiet(product.url, isDone);
  return cpu() - before;
}

let seed = 0;

/** Returns the next events of a stream. Its first thousand events contain fewer completed runs than later ones. */
export function eventStream(label: string): (count: number) => SimulatedEvent[] {
  seed += 1;
  const stream = createSimulator({ seed: `${label}/${seed}`, startAt: new Date() }).stream({ rate: 5 });
  return (count) => Array.from({ length: count }, () => stream.next().value);
}

export const newEvents = (label: string, count: number): SimulatedEvent[] => eventStream(label)(count);

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
