import { backOffMs } from '#contract/base/back-off.ts';
import type { TaskKindName } from '#contract/integrations/tasks.ts';
import { minuteMs } from '#platform/runtime/time-units.ts';

/** A row of `tasks`: work for one thing of an integration, such as a receiver or a connection. */
export interface Task {
  integrationId: string;
  kind: string;
  /** What is worked on. */
  key: string;
  facts: Record<string, unknown>;
  /** Failed turns in a row. */
  failures: number;
}

/** The key of a kind with one task for each integration. */
export const onlyKey = 'all';

/** Identifies a task. */
export type TaskKey = Pick<Task, 'integrationId' | 'kind' | 'key'>;

/**
 * What follows from a turn. `done` deletes the task; `again` keeps it for so many milliseconds, or until somebody requests it when that
 * is null. A request during the turn takes precedence over both. With an `error` the turn counts as failed. `settled`: the turn has
 * stored it in a transaction of its own.
 */
export type TurnEnd = 'done' | 'settled' | { again: number | null; error?: string | null };

export interface Turn {
  /** Aborted when the turn must end. What it leaves undone is continued in a later turn. */
  signal: AbortSignal;
  /** Whether the turn should end between two steps, so that others get its place. */
  isLong(): boolean;
}

/** When a failed turn is repeated, and what people read until then. */
export interface RetryPlan {
  waitMs: number;
  error: string;
}

export interface TaskKind {
  name: TaskKindName;
  /** Places of one process for turns that are quick so far. */
  quickPlaces: number;
  /** Further places, for turns of integrations that were slow lately. They bound what slow servers cost, not other integrations. */
  slowPlaces: number;
  /** Turns of one integration at the same time. */
  perIntegration: number;
  /** A longer turn needs a slow place. */
  quickMs?: number;
  /** The signal ends a turn after this time. */
  longestMs: number;
  /**
   * Whether a turn that becomes slow while all slow places are taken is ended: only if it may be repeated without harm. Others move to a
   * place beyond these, as many again at most.
   */
  givesWay: boolean;
  handle(task: Task, turn: Turn): Promise<TurnEnd>;
  planRetry(error: unknown, failures: number): RetryPlan;
}

const databaseBackOff = { leastMs: 1_000, firstMs: 2_000, longestMs: minuteMs };

/** For turns that fail only when the database does. `what` could not be prepared. */
export const retryPreparing =
  (what: string): TaskKind['planRetry'] =>
  (_error, failures) => ({
    waitMs: backOffMs(databaseBackOff, failures),
    error: `The ${what} could not be prepared. It is tried again.`,
  });

/**
 * Why a turn was ended. `gave-way`: others need its place. `too-long`: it took longer than its kind allows. `stopping`: the process
 * ends.
 */
export class TurnEnded extends Error {
  readonly reason: 'gave-way' | 'too-long' | 'stopping';

  constructor(reason: TurnEnded['reason']) {
    super(`the turn of a task ended: ${reason}`);
    this.reason = reason;
  }
}
