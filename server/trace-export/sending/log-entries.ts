import type { LogEntry } from '#server/event-log/log-entry.ts';
import type { ExportRow } from '../settings-store.ts';
import type { SendResult } from './send-otlp.ts';

export function failingEntry(
  integrationId: string,
  { url }: Pick<ExportRow, 'url'>,
  { problem, statusCode }: Pick<SendResult, 'problem' | 'statusCode'>,
  what: 'Runs' | 'Metrics' = 'Runs',
): LogEntry {
  return {
    integrationId,
    type: 'trace_export.failing',
    severity: 'error',
    title: `${what} cannot be exported to ${hostOf(url)}: ${problem ?? ''}`,
    actorId: null,
    details: { statusCode },
  };
}

export function recoveredEntry(
  integrationId: string,
  { url }: Pick<ExportRow, 'url'>,
  what: 'Runs' | 'Metrics' = 'Runs',
): LogEntry {
  return {
    integrationId,
    type: 'trace_export.recovered',
    severity: 'info',
    title: `${what} are exported to ${hostOf(url)} again`,
    actorId: null,
    details: {},
  };
}

/** `why` continues the sentence. */
export function droppedEntry(integrationId: string, count: number, why: string): LogEntry {
  return {
    integrationId,
    type: 'trace_export.dropped',
    severity: 'error',
    title: `${count === 1 ? '1 run was' : `${count} runs were`} not exported: ${why}`,
    actorId: null,
    details: { count },
  };
}

export function hostOf(url: string): string {
  return new URL(url).host;
}
