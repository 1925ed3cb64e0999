import { testUrl, watchTitle } from '#server/alerts/notifications/content/watch-texts.ts';
import { isTestWatch } from '#server/alerts/watches/test-changes.ts';
import type { FeedIncident } from './store.ts';
import { element, escapeXml, xmlDeclaration } from './xml.ts';

export interface Feed {
  integrationId: string;
  label: string;
  /** Of the integration: as old as the feed is without an incident. */
  createdAt: Date;
  incidents: readonly FeedIncident[];
  /** Of the feed itself. */
  selfUrl: string;
  /** The page of the incidents. */
  pageUrl: string;
  publicUrl: string;
}

/** Atom (RFC 4287): one entry for each incident, updated when it recovers. */
export function incidentFeed(feed: Feed): string {
  const { integrationId, label, createdAt, incidents, selfUrl, pageUrl, publicUrl } = feed;
  const updated = Math.max(createdAt.getTime(), ...incidents.map(({ updatedAt }) => updatedAt.getTime()));
  return `${xmlDeclaration}${element(
    'feed',
    { xmlns: 'http://www.w3.org/2005/Atom' },
    text('title', `Incidents of ${label}`),
    text('id', `urn:uuid:${integrationId}`),
    text('updated', new Date(updated).toISOString()),
    element('link', { rel: 'self', type: 'application/atom+xml', href: selfUrl }),
    element('link', { rel: 'alternate', type: 'text/html', href: pageUrl }),
    element('author', {}, text('name', 'Forgewatch')),
    ...incidents.map((incident) =>
      entry(
        incident,
        isTestWatch(incident.kind) ? testUrl(publicUrl, integrationId, incident.lastFailure) : pageUrl,
      ),
    ),
  )}`;
}

function entry(incident: FeedIncident, url: string): string {
  const { title, summary } = incident.kind === 'failure' ? failureTexts(incident) : watchTexts(incident);
  return element(
    'entry',
    {},
    text('title', title),
    text('id', `urn:uuid:${incident.incidentId}`),
    text('published', incident.openedAt.toISOString()),
    text('updated', incident.updatedAt.toISOString()),
    element('link', { rel: 'alternate', type: 'text/html', href: url }),
    text('summary', summary),
  );
}

interface Texts {
  title: string;
  summary: string;
}

function failureTexts(incident: FeedIncident): Texts {
  const { repository, workflow, branch, openedAt, failedRuns, failedJobs } = incident;
  const what = [workflow ?? 'A workflow', 'of', repository, ...(branch === null ? [] : ['on', branch])].join(
    ' ',
  );
  const state = incident.closeReason === null ? 'is broken' : endOf(incident);
  return {
    title: `${what} ${state}`,
    summary: `${what} broke at ${openedAt.toISOString()}. Failed runs: ${failedRuns}, failed jobs: ${failedJobs}. ${lastSentence(incident)}`,
  };
}

/** Of an incident about what did not happen. */
function watchTexts(incident: FeedIncident): Texts {
  const title = watchTitle(incident, incident.evidence ?? '');
  return {
    title: incident.closeReason === null ? title : `${title} (${endOf(incident)})`,
    summary: `Since ${incident.openedAt.toISOString()}.${incident.closedAt === null ? '' : ` ${lastSentence(incident)}`}`,
  };
}

/** A closed incident is not necessarily fixed. */
function endOf({ closeReason }: FeedIncident): string {
  if (closeReason === 'quarantined') return 'was closed by a quarantine';
  return closeReason === 'recovered' ? 'recovered' : 'was closed';
}

function lastSentence(incident: FeedIncident): string {
  const { closedAt } = incident;
  return closedAt === null ? 'It is still broken.' : `It ${endOf(incident)} at ${closedAt.toISOString()}.`;
}

const text = (name: string, value: string): string => element(name, {}, escapeXml(value));
