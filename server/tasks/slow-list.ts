import { minuteMs } from '#platform/runtime/time-units.ts';
import type { Task } from './task.ts';

type OfKind = Pick<Task, 'integrationId' | 'kind'>;

export interface SlowList {
  add(task: OfKind): void;
  entries(): OfKind[];
}

const keptMs = minuteMs;
/** Beyond it the oldest are forgotten: their next turn begins in a quick place again. */
const mostEntries = 1_000;

/** The integrations whose turns were slow lately, as this process saw it. Each process learns it with one turn. */
export function makeSlowList(now: () => number = () => performance.now()): SlowList {
  const until = new Map<string, OfKind & { at: number }>();
  return {
    add: ({ integrationId, kind }) => {
      const id = `${kind} ${integrationId}`;
      until.delete(id);
      until.set(id, { integrationId, kind, at: now() + keptMs });
      const [oldest] = until.keys();
      if (until.size > mostEntries && oldest !== undefined) until.delete(oldest);
    },
    entries: () => {
      // The oldest come first.
      for (const [id, { at }] of until) {
        if (at > now()) break;
        until.delete(id);
      }
      return [...until.values()];
    },
  };
}
