import type { FeedIncident } from './store.ts';
import { element, escapeXml, xmlDeclaration } from './xml.ts';

export interface Feed {
  integrationId: string;
  label: string;
  incidents: readonly FeedIncident[];
  /** Of the feed itself. */
  selfUrl: string;
  /** The page of the incidents. */
  pageUrl: string;
}

/** Atom (RFC 4287): one entry for each incident, updated when it recovers. */
export function incidentFeed({ integrationId, label, incidents, selfUrl, pageUrl }: Feed): string {
  const updated = Math.max(0, ...incidents.map(({ updatedAt }) => updatedAt.getTime()));
  return `${xmlDeclaration}${element(
    'feed',
    { xmlns: 'http://www.w3.org/2005/Atom' },
    text('title', `Incidents of ${label}`),
    text('id', `urn:uuid:${integrationId}`),
    text('updated', new Date(updated).toISOString()),
    element('link', { rel: 'self', type: 'application/atom+xml', href: selfUrl }),
    element('link', { rel: 'alternate', type: 'text/html', href: pageUrl }),
    element('author', {}, text('name', 'Forgewatch')),
    ...incidents.map((incident) => entry(incident, pageUrl)),
  )}`;
}

function entry(incident: FeedIncident, pageUrl: string): string {
  const { repository, workflow, branch, openedAt, closedAt, failedRuns, failedJobs } = incident;
  const what = [workflow ?? 'A workflow', 'of', repository, ...(branch === null ? [] : ['on', branch])].join(
    ' ',
  );
  const recovered = closedAt === null ? 'It is still broken.' : `It recovered at ${closedAt.toISOString()}.`;
  return element(
    'entry',
    {},
    text('title', `${what} ${closedAt === null ? 'is broken' : 'recovered'}`),
    text('id', `urn:uuid:${incident.incidentId}`),
    text('published', openedAt.toISOString()),
    text('updated', incident.updatedAt.toISOString()),
    element('link', { rel: 'alternate', type: 'text/html', href: pageUrl }),
    text(
      'summary',
      `${what} broke at ${openedAt.toISOString()}. Failed runs: ${failedRuns}, failed jobs: ${failedJobs}. ${recovered}`,
    ),
  );
}

const text = (name: string, value: string): string => element(name, {}, escapeXml(value));
