import type { Log } from '#platform/runtime/log.ts';
import { repeat } from '#platform/runtime/tasks/repeat.ts';
import type { Service } from '#platform/runtime/service.ts';
import { minuteMs, hourMs } from '#platform/runtime/time-units.ts';

/** Number of refused deliveries of one integration, by reason. */
export type RejectedCounts = Record<string, number>;

export interface RejectionReporterDeps {
  log: Log;
  /** Notifies the members of the integration. */
  notify(integrationId: string, counts: RejectedCounts): Promise<void>;
  checkEveryMs?: number;
  notifyEveryMs?: number;
}

export interface RejectionReporter extends Service {
  /** Undefined for an integration that does not exist: the cost is the same, but nothing is stored. */
  note(integrationId: string | undefined, reason: string): void;
}

interface Tally {
  counts: RejectedCounts;
  /** Earliest time of the next notification: the first at once, then hourly. */
  dueAt: number;
}

/**
 * Counts refused deliveries and notifies at most once an hour per integration and process. A wrong secret is reported within a
 * minute, and a flood of requests does not fill the event log.
 */
export function makeRejectionReporter({
  log,
  notify,
  checkEveryMs = minuteMs,
  notifyEveryMs = hourMs,
}: RejectionReporterDeps): RejectionReporter {
  const tallies = new Map<string, Tally>();
  const unknown = new Map<string, Tally>();

  const add = (integrationId: string | undefined, reason: string, count: number): void => {
    const map = integrationId === undefined ? unknown : tallies;
    const key = integrationId ?? '';
    let tally = map.get(key);
    if (tally === undefined) map.set(key, (tally = { counts: {}, dueAt: 0 }));
    tally.counts[reason] = (tally.counts[reason] ?? 0) + count;
  };

  const notifyDue = async (isDue: (tally: Tally) => boolean): Promise<void> => {
    for (const [integrationId, tally] of tallies) {
      if (!isDue(tally)) continue;
      const { counts } = tally;
      if (Object.keys(counts).length === 0) {
        tallies.delete(integrationId);
        continue;
      }
      tallies.set(integrationId, { counts: {}, dueAt: Date.now() + notifyEveryMs });
      await notify(integrationId, counts).catch((error: unknown) => {
        for (const [reason, count] of Object.entries(counts)) add(integrationId, reason, count);
        throw error;
      });
    }
  };
  const looking = repeat(log, 'rejected deliveries', checkEveryMs, () =>
    notifyDue(({ dueAt }) => dueAt <= Date.now()),
  );
  return {
    ...looking,
    stop: async () => {
      await looking.stop();
      await notifyDue(() => true).catch((error: unknown) =>
        log.warn({ err: error }, 'report of rejected deliveries failed'),
      );
    },
    note: (integrationId, reason) => add(integrationId, reason, 1),
  };
}

/** A title for the event log, such as `12 webhooks were refused: 12 that held no JSON`. */
export function describeRejected(counts: RejectedCounts): string {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const parts = Object.entries(counts).map(([reason, count]) => `${count} ${reasons[reason] ?? reason}`);
  return `${total} ${total === 1 ? 'webhook was' : 'webhooks were'} refused: ${parts.join(', ')}`;
}

const reasons: Record<string, string> = {
  invalid_signature: 'without a signature that holds',
  unsupported_event: 'of an event type that is not supported',
  invalid_json: 'that held no JSON',
  storage_full: 'while the disk of the server was full',
  payload_too_large: 'larger than WEBHOOK_MAX_BYTES',
};
