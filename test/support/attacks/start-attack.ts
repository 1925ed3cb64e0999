import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Attack } from './attacks.ts';

export interface AttackOrder {
  port: number;
  /** Number of further addresses of this machine that the connections come from (Linux). 0: the address of everybody. */
  addresses: number;
  /** What a trusted proxy adds to each head. */
  forwarded?: string;
  attack: Attack;
  /** Like another machine, it leaves the processors to the others. On Linux, where a thread has a priority of its own. */
  isElsewhere?: boolean;
}

export interface RunningAttack {
  /** Number of connections so far. */
  opened(): number;
  stop(): Promise<void>;
}

/** Keeps connections open in a thread, each of which sends what the attack says. A closed one is opened again. */
export async function startAttack(order: AttackOrder): Promise<RunningAttack> {
  const worker = new Worker(new URL('attacker-thread.ts', import.meta.url), { workerData: order });
  let opened = 0;
  worker.on('message', (count: number) => (opened = count));
  await once(worker, 'message');
  return {
    opened: () => opened,
    stop: async () => void (await worker.terminate()),
  };
}
