import { Type, type Static } from 'typebox';
import { nullable, Time, strictObject } from '../base/schema.ts';

/** Counting waiting runs ends here: show it as "10,000 or more". */
export const maxWaitingCount = 10_000;
export const maxExportHeaders = 10;

const HeaderName = Type.String({ pattern: '^[A-Za-z0-9-]{1,64}$' });

export const TraceExport = Type.Object({
  /** Base URL of the target. Requests go to `/v1/traces` and `/v1/metrics` below it. */
  url: Type.String(),
  /** Their values are never shown. */
  headerNames: Type.Array(Type.String()),
  enabled: Type.Boolean(),
  /** How the export of metrics goes since the settings were saved; null when they are not exported. */
  metrics: nullable(
    Type.Object({
      lastSuccessAt: nullable(Time),
      lastFailureAt: nullable(Time),
      lastProblem: nullable(Type.String()),
    }),
  ),
  savedAt: Time,
  /** The next three: since the settings were saved. */
  lastSuccessAt: nullable(Time),
  lastFailureAt: nullable(Time),
  lastProblem: nullable(Type.String()),
  /** When the next request is sent at the earliest. Null while the export is disabled. */
  nextAttemptAt: nullable(Time),
  /** Finished runs that are not exported yet; at most `maxWaitingCount`. */
  waiting: Type.Integer(),
});
export const TraceExportState = Type.Object({ export: nullable(TraceExport) });
export type TraceExport = Static<typeof TraceExport>;
export type TraceExportState = Static<typeof TraceExportState>;

export const TraceExportBody = strictObject({
  url: Type.String({ minLength: 1, maxLength: 1000 }),
  enabled: Type.Boolean(),
  /** Whether metrics are exported too, to `/v1/metrics`. Default: false. */
  metrics: Type.Optional(Type.Boolean()),
  /** Replaces all headers. Omit it to keep the saved ones, which is refused when the URL has another origin. */
  headers: Type.Optional(
    Type.Array(
      strictObject({
        name: HeaderName,
        value: Type.String({ maxLength: 4000, pattern: '^[\\x21-\\x7e]([\\x20-\\x7e]*[\\x21-\\x7e])?$' }),
      }),
      { maxItems: maxExportHeaders },
    ),
  ),
});
export type TraceExportBody = Static<typeof TraceExportBody>;

export const TraceTestResult = Type.Object({
  sent: Type.Boolean(),
  statusCode: nullable(Type.Integer()),
  /** Why it was not sent; null if it was. */
  problem: nullable(Type.String()),
  tookMs: Type.Integer(),
});
export type TraceTestResult = Static<typeof TraceTestResult>;
