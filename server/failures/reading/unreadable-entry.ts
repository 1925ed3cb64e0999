import type { LogEntry } from '#server/event-log/log-entry.ts';

/** Says that logs were given up. Their reasons come from the steps. */
export function unreadableEntry(integrationId: string, count: number): LogEntry {
  const title =
    count === 1
      ? 'The log of a failed job could not be read at the forge'
      : `The logs of ${count} failed jobs could not be read at the forge`;
  return {
    integrationId,
    type: 'failure.log_unreadable',
    severity: 'warning',
    title,
    details: { count },
  };
}
