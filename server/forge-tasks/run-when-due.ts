import type { Listener } from '#platform/database/listener.ts';
import type { Log } from '#platform/runtime/log.ts';
import type { Service } from '#platform/runtime/service.ts';
import { coalesce } from '#platform/runtime/tasks/coalesce.ts';
import { makeFailureLog } from '#platform/runtime/tasks/failure-log.ts';
import { repeat } from '#platform/runtime/tasks/repeat.ts';

/** A trigger notifies this channel when a sync becomes due in a transaction. */
const channel = 'member_sync_due';
/** Finds tasks whose time has come, and those whose notification was lost. */
const twoSecondsMs = 2_000;
const leastPauseMs = 20;

/**
 * Runs `task` as soon as a sync of members is requested, and every two seconds. Runs never overlap. Call `request` for one more run.
 */
export function runWhenDue(
  { log, listener }: { log: Log; listener: Listener },
  name: string,
  task: (signal: AbortSignal) => Promise<void>,
  pollMs = twoSecondsMs,
): Service & { request(): void } {
  const stopping = new AbortController();
  const failures = makeFailureLog(log, { message: 'periodic task failed', facts: { task: name } });
  const runs = coalesce(leastPauseMs, async () => {
    if (stopping.signal.aborted) return;
    await failures.watch(task(stopping.signal), stopping.signal);
  });
  listener.on(channel, runs.request);
  listener.onConnect(runs.request);
  const poll = repeat(log, name, pollMs, async () => runs.request());
  return {
    ...poll,
    request: runs.request,
    stop: async () => {
      stopping.abort();
      await poll.stop();
      await runs.idle();
    },
  };
}
