import { randomBytes } from 'node:crypto';
import {
  maxWaitingCount,
  type TraceExportBody,
  type TraceExportState,
  type TraceTestResult,
} from '#contract/integrations/trace-export.ts';
import type { Database } from '#platform/database/database.ts';
import type { GuardedFetch } from '#platform/http/outgoing/guarded-fetch.ts';
import { AppError, invalidField } from '#platform/runtime/app-error.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { lockMemberRole, type Actor } from '#server/members/locks/lock-member-role.ts';
import { exportPolicy } from './policy.ts';
import { hostOf } from './sending/log-entries.ts';
import { encodeMetrics } from './metrics/encode-metrics.ts';
import { readMetrics } from './metrics/read-metrics.ts';
import { sendOtlp, type Signal } from './sending/send-otlp.ts';
import {
  countWaiting,
  deleteExport,
  findExport,
  forgetWaiting,
  lockExport,
  metricTask,
  prepareExportRetry,
  requestExport,
  traceTask,
  upsertExport,
  type ExportRow,
} from './settings-store.ts';
import { openTarget, sealHeaders } from './target.ts';
import { encodeSpans } from './traces/encode-traces.ts';
import { makeSpanFactory } from './traces/span.ts';

export interface TraceExportDeps {
  db: Database;
  sealer: Sealer;
  clock: Clock;
  guardedFetch: Pick<GuardedFetch, 'request' | 'refusal'>;
}

export async function readExport(db: Database, integrationId: string): Promise<TraceExportState> {
  return db.withScope({ integrationId }, async (tx) => {
    const row = await findExport(tx, integrationId);
    if (row === undefined) return { export: null };
    const waiting = await countWaiting(tx, integrationId, maxWaitingCount);
    return {
      export: {
        url: row.url,
        headerNames: row.headerNames,
        enabled: row.enabled,
        metrics: row.metrics ? metricsState(row) : null,
        savedAt: row.savedAt.toISOString(),
        lastSuccessAt: row.lastSuccessAt?.toISOString() ?? null,
        lastFailureAt: row.lastFailureAt?.toISOString() ?? null,
        lastProblem: row.lastProblem,
        nextAttemptAt: row.enabled ? row.dueAt.toISOString() : null,
        waiting,
      },
    };
  });
}

function metricsState(row: ExportRow): NonNullable<NonNullable<TraceExportState['export']>['metrics']> {
  return {
    lastSuccessAt: row.metricsLastSuccessAt?.toISOString() ?? null,
    lastFailureAt: row.metricsLastFailureAt?.toISOString() ?? null,
    lastProblem: row.metricsLastProblem,
  };
}

/** Saves or replaces the settings. @throws AppError `invalid_request` naming the field */
export async function saveExport(
  { db, sealer, clock, guardedFetch }: TraceExportDeps,
  actor: Actor,
  body: TraceExportBody,
): Promise<void> {
  const { integrationId, actorId } = actor;
  const url = checkUrl(body.url, guardedFetch.refusal);
  const entered = body.headers === undefined ? undefined : checkHeaders(body.headers);
  const savedAt = new Date(clock());
  const { enabled, metrics = false } = body;
  await db.withScope({ integrationId }, async (tx) => {
    await lockMemberRole(tx, actor, 'admin');
    await lockExport(tx, integrationId);
    const stored = await findExport(tx, integrationId);
    const headers = entered ?? keptHeaders(sealer, integrationId, stored, url);
    const headerNames = Object.keys(headers);
    const sealedHeaders = sealHeaders(sealer, integrationId, headers);
    await upsertExport(tx, integrationId, {
      url,
      sealedHeaders,
      headerNames,
      enabled,
      metrics,
      savedAt,
      atMost: exportPolicy.runsPerRequest,
    });
    if (!enabled) await forgetWaiting(tx, integrationId);
    await requestExport(tx, integrationId);
    await addLogEntry(tx, {
      integrationId,
      type: 'trace_export.saved',
      severity: 'warning',
      title: enabled
        ? `Finished runs are exported as traces to ${hostOf(url)}`
        : `The export of traces to ${hostOf(url)} was disabled`,
      actorId,
      details: { url, headerNames, enabled, metrics },
    });
  });
}

/** Another server must not get the saved headers, which no person can read. */
function keptHeaders(
  sealer: Sealer,
  integrationId: string,
  stored: ExportRow | undefined,
  url: string,
): Record<string, string> {
  if (stored === undefined) return {};
  if (stored.headerNames.length > 0 && new URL(stored.url).origin !== new URL(url).origin)
    throw invalidField('headers', 'must be entered again, because the URL names another server');
  return openTarget(sealer, integrationId, stored).headers;
}

/** Runs that wait are not exported. @throws AppError `not_found` */
export async function removeExport(db: Database, actor: Actor): Promise<void> {
  const { integrationId, actorId } = actor;
  await db.withScope({ integrationId }, async (tx) => {
    await lockMemberRole(tx, actor, 'admin');
    await lockExport(tx, integrationId);
    const stored = await findExport(tx, integrationId);
    if (stored === undefined) throw notFound();
    await deleteExport(tx, integrationId);
    await forgetWaiting(tx, integrationId);
    await requestExport(tx, integrationId);
    await addLogEntry(tx, {
      integrationId,
      type: 'trace_export.removed',
      severity: 'warning',
      title: `The export of traces to ${hostOf(stored.url)} was removed`,
      actorId,
      details: { url: stored.url },
    });
  });
}

/** Sends one span to the saved target while the caller waits, and the present metrics if they are exported. @throws AppError `not_found` */
export async function testExport(
  { db, sealer, clock, guardedFetch }: TraceExportDeps,
  integrationId: string,
): Promise<TraceTestResult> {
  const stored = await db.withScope({ integrationId }, (tx) => findExport(tx, integrationId));
  if (stored === undefined) throw notFound();
  const startedAt = performance.now();
  const target = openTarget(sealer, integrationId, stored);
  const send = (signal: Signal, body: Buffer) =>
    sendOtlp(guardedFetch, target, signal, body, exportPolicy.requestMs);
  let result = await send('traces', await encodeTestTrace(clock()));
  if (result.sent && result.problem === null && stored.metrics) {
    const found = await db.withScope({ integrationId }, (tx) => readMetrics(tx, integrationId));
    result = await send('metrics', await encodeMetrics(found, clock()));
    if (result.problem !== null) result.problem = `Metrics: ${result.problem}`;
  }
  const { sent, statusCode, problem } = result;
  return { sent, statusCode, problem, tookMs: Math.round(performance.now() - startedAt) };
}

function notFound(): AppError {
  return new AppError('not_found', { detail: 'This integration has no export of traces.' });
}

/** What the tasks of an export need before a person repeats them. */
export const exportRetries = { [traceTask]: prepareExportRetry, [metricTask]: prepareExportRetry };

/** The body of an OTLP request with one span that no run has. */
async function encodeTestTrace(now: number): Promise<Buffer> {
  const make = makeSpanFactory(randomBytes(16).toString('hex'), { 'service.name': 'forgewatch' });
  const span = { id: randomBytes(8).toString('hex'), name: 'Forgewatch test', start: now, end: now };
  return encodeSpans([make({ ...span, conclusion: 'success', isError: false, attributes: {} })]);
}

/** The base URL without `/v1/traces` or `/v1/metrics`. @throws AppError `invalid_request` */
function checkUrl(entered: string, refusal: (url: string) => string | undefined): string {
  const problem = refusal(entered);
  if (problem !== undefined) throw invalidField('url', problem);
  const { origin, pathname, search, hash } = new URL(entered);
  if (search !== '' || hash !== '')
    throw invalidField('url', 'must not contain “?” or “#”; enter credentials as headers');
  let path = pathname;
  while (path.endsWith('/')) path = path.slice(0, -1);
  const signal = ['/v1/traces', '/v1/metrics'].find((end) => path.endsWith(end)) ?? '';
  return origin + path.slice(0, path.length - signal.length);
}

/** Those that HTTP or this program sets. */
const reserved = new Set([
  'connection',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);

/** By their names in lower case. @throws AppError `invalid_request` */
function checkHeaders(headers: NonNullable<TraceExportBody['headers']>): Record<string, string> {
  const checked: Record<string, string> = {};
  for (const [index, { name, value }] of headers.entries()) {
    const key = name.toLowerCase();
    const field = `headers.${index}.name`;
    if (reserved.has(key) || /^(content|proxy)-/.test(key))
      throw invalidField(field, `“${key}” is set by Forgewatch; remove it`);
    if (Object.hasOwn(checked, key)) throw invalidField(field, `“${key}” is entered twice`);
    checked[key] = value;
  }
  return checked;
}
