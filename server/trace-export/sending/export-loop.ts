import { setTimeout as delay } from 'node:timers/promises';
import type { Tx } from '#platform/database/database.ts';
import type { Service } from '#platform/runtime/service.ts';
import { repeat } from '#platform/runtime/tasks/repeat.ts';
import type { ExportDeps } from './export-runs.ts';

/** One kind of export: what is due, and how to send it for one integration. */
interface ExportKind<Claimed extends { integrationId: string }> {
  name: string;
  pollEveryMs: number;
  /** Called before each search. False when nothing can be due. */
  hasAny(): Promise<boolean>;
  /** Leases up to `most` integrations that are due, except those that this process is exporting. */
  claim(tx: Tx, most: number, busy: readonly string[], now: Date, leasedUntil: Date): Promise<Claimed[]>;
  send(claimed: Claimed): Promise<void>;
}

/** Sends for several integrations at the same time, one request for each, so that a target that hangs delays no other integration. */
export function makeExportLoop<Claimed extends { integrationId: string }>(
  { db, log, clock, policy }: Pick<ExportDeps, 'db' | 'log' | 'clock' | 'policy'>,
  { name, pollEveryMs, hasAny, claim, send }: ExportKind<Claimed>,
): Service {
  const inFlight = new Map<string, Promise<void>>();
  const loop = repeat(log, name, pollEveryMs, async (signal) => {
    while (!signal.aborted && (await hasAny()) && (await sendSome()) > 0)
      await Promise.race([...inFlight.values(), delay(pollEveryMs, undefined, { signal }).catch(() => {})]);
  });

  /** Returns how many integrations are being exported. */
  async function sendSome(): Promise<number> {
    const free = policy.integrationsAtOnce - inFlight.size;
    const now = clock();
    const times = [new Date(now), new Date(now + policy.leaseMs)] as const;
    const claimed =
      free <= 0 ? [] : await db.withScope('service', (tx) => claim(tx, free, [...inFlight.keys()], ...times));
    for (const each of claimed) {
      const { integrationId } = each;
      const done = send(each)
        .catch((error: unknown) => log.warn({ err: error, integrationId }, `${name} failed, will retry`))
        .finally(() => inFlight.delete(integrationId));
      inFlight.set(integrationId, done);
    }
    return inFlight.size;
  }

  return {
    name,
    start: () => loop.start(),
    stop: async () => {
      await loop.stop();
      await Promise.all(inFlight.values());
    },
  };
}
