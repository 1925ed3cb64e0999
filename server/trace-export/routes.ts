import { TraceExportBody, TraceExportState, TraceTestResult } from '#contract/integrations/trace-export.ts';
import { route, type Route } from '#server/route.ts';
import { readExport, removeExport, saveExport, testExport, type TraceExportDeps } from './settings.ts';

const path = '/api/integrations/:integrationId/trace-export';

export function traceExportRoutes(deps: TraceExportDeps): Route[] {
  return [
    route('GET', path, {
      access: { role: 'admin' },
      summary:
        'Get where finished runs and metrics are exported, and how it goes; never the values of headers',
      answer: { schema: TraceExportState },
      handle: ({ params: { integrationId } }) => readExport(deps.db, integrationId),
    }),
    route('PUT', path, {
      access: { role: 'admin', by: 'session' },
      summary:
        'Save or replace where finished runs are exported as traces over OTLP, and whether metrics are too',
      body: TraceExportBody,
      rateLimits: [{ perMinute: 20, by: 'caller' }],
      answer: { status: 204 },
      handle: ({ params: { integrationId }, body, caller }) =>
        saveExport(deps, { integrationId, actorId: caller.userId }, body),
    }),
    route('DELETE', path, {
      access: { role: 'admin', by: 'session' },
      summary: 'Remove the export of traces with the runs that wait for it',
      errors: ['not_found'],
      answer: { status: 204 },
      handle: ({ params: { integrationId }, caller }) =>
        removeExport(deps.db, { integrationId, actorId: caller.userId }),
    }),
    route('POST', `${path}/test`, {
      access: { role: 'admin', by: 'session' },
      summary: 'Send one span to the saved target, and metrics if they are exported, and get the answer',
      rateLimits: [{ perMinute: 10, by: 'caller' }],
      errors: ['not_found'],
      answer: { schema: TraceTestResult },
      handle: ({ params: { integrationId } }) => testExport(deps, integrationId),
    }),
  ];
}
