import type { Log } from '#platform/runtime/log.ts';
import { makeFailureLog, type FailureLog } from '#platform/runtime/tasks/failure-log.ts';
import type { Task } from './task.ts';

export interface TurnLogs {
  failed(task: Task, error: unknown, waitMs: number): void;
  succeeded(task: Task): void;
}

/** Beyond it the log that was used longest ago is forgotten, and its next failure begins a new series. */
const mostLogs = 1_000;

/** One log of failures for each kind and integration, so that neither many tasks nor many attempts fill the log. */
export function makeTurnLogs(log: Log): TurnLogs {
  const logs = new Map<string, FailureLog>();
  const idOf = ({ kind, integrationId }: Task): string => `${kind} ${integrationId}`;
  return {
    failed: (task, error, waitMs) => {
      const { kind, integrationId, key } = task;
      const id = idOf(task);
      const known =
        logs.get(id) ??
        makeFailureLog(log, { message: 'task failed, will retry', facts: { kind, integrationId } });
      logs.delete(id);
      logs.set(id, known);
      const [oldest] = logs.keys();
      if (logs.size > mostLogs && oldest !== undefined) logs.delete(oldest);
      known.failed(error, { key, waitMs });
    },
    succeeded: (task) => logs.get(idOf(task))?.succeeded(),
  };
}
