import type { Tx } from '#platform/database/database.ts';
import type { Service } from '#platform/runtime/service.ts';
import { repeat } from '#platform/runtime/tasks/repeat.ts';
import { makeWorkInFlight } from '#platform/runtime/tasks/work-in-flight.ts';
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
  const inFlight = makeWorkInFlight<string>((error, integrationId) =>
    log.warn({ err: error, integrationId }, `${name} failed, will retry`),
  );
  const loop = repeat(log, name, pollEveryMs, async (signal) => {
    while (!signal.aborted && (await hasAny()) && (await sendSome()) > 0)
      await inFlight.oneDone(pollEveryMs, signal);
  });

  /** Returns how many integrations are being exported. */
  async function sendSome(): Promise<number> {
    const exporting = inFlight.items();
    const free = policy.integrationsAtOnce - exporting.length;
    const now = clock();
    const times = [new Date(now), new Date(now + policy.leaseMs)] as const;
    const claimed =
      free <= 0 ? [] : await db.withScope('service', (tx) => claim(tx, free, exporting, ...times));
    for (const each of claimed) inFlight.start(each.integrationId, send(each));
    return inFlight.items().length;
  }

  return {
    name,
    start: () => loop.start(),
    stop: async () => {
      await loop.stop();
      await inFlight.allDone();
    },
  };
}
