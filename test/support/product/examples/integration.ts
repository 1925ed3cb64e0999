import { newLinkWithHistory, newLink, newTraceExport } from '../route-objects.ts';
import { after, inPath, nothing, one, type Examples } from './example.ts';

/** Calls about an integration and its connections. */
export const integrationExamples: Examples = {
  'GET /api/integrations': nothing,
  'POST /api/integrations': () => ({ body: { label: 'New' } }),
  [`GET ${one}`]: nothing,
  [`PATCH ${one}`]: () => ({ body: { label: 'Renamed' } }),
  [`DELETE ${one}`]: nothing,
  [`POST ${one}/rotate-secret`]: () => ({ body: { graceHours: 1 } }),
  [`PUT ${one}/webhook-events`]: () => ({ body: { events: ['workflow_run'] } }),
  [`GET ${one}/forge-app`]: nothing,
  [`POST ${one}/forge-app/setup`]: nothing,
  // The forge is asked who may; here it is enough that the role does not stand in the way.
  [`POST ${one}/forge-app`]: () => ({ body: { installationId: '77', proof: 'none' } }),
  [`DELETE ${one}/forge-app/:installationId`]: inPath('installationId', newLink),
  [`POST ${one}/forge-app/:installationId/sync`]: inPath('installationId', newLink),
  [`POST ${one}/forge-app/:installationId/history`]: inPath('installationId', newLink, { days: 30 }),
  [`DELETE ${one}/forge-app/:installationId/history`]: inPath('installationId', newLinkWithHistory),
  [`GET ${one}/forge-connection`]: nothing,
  // A private address is refused; the role does not stand in the way.
  [`PUT ${one}/forge-connection`]: () => ({
    body: { forge: 'gitea', url: 'https://10.0.0.1', token: 'token' },
  }),
  // Without an access token, the others answer that there is none.
  [`DELETE ${one}/forge-connection`]: nothing,
  [`GET ${one}/forge-connection/repositories`]: nothing,
  [`PUT ${one}/forge-connection/repositories`]: () => ({ body: { repositories: ['octo-org/site'] } }),
  [`POST ${one}/forge-connection/history`]: () => ({ body: { days: 30 } }),
  [`DELETE ${one}/forge-connection/history`]: nothing,
  [`GET ${one}/usage`]: nothing,
  [`GET ${one}/sample-data`]: nothing,
  [`DELETE ${one}/sample-data`]: nothing,
  [`GET ${one}/trace-export`]: nothing,
  [`PUT ${one}/trace-export`]: () => ({ body: { url: 'https://otlp.example.com', enabled: false } }),
  [`DELETE ${one}/trace-export`]: after(newTraceExport),
  // The answer is that the host is unknown.
  [`POST ${one}/trace-export/test`]: after(newTraceExport),
};
