import type { EntryType, Severity } from '#contract/deliveries/event-log.ts';

/** One line of an integration's event log. */
export interface LogEntry {
  integrationId: string;
  type: EntryType;
  /** Default: info. */
  severity?: Severity;
  /** A whole sentence for people. */
  title: string;
  /** Who did it. Default: the service itself. */
  actorId?: string | null;
  /** Whom and what it was done to. Nothing secret, and nothing of a payload. */
  details: Record<string, unknown>;
}

/** Whose log, and who reads it. */
export interface Reader {
  integrationId: string;
  userId: string;
}
