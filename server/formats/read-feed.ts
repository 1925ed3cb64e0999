import type { Tx } from '#platform/database/database.ts';
import { readTestNews } from '#server/alerts/watches/find-episodes.ts';
import { listFeedIncidents, type FeedIncident } from './store.ts';

/** The newest incidents, and tests that became broken or flaky without one. */
export async function readFeed(
  tx: Tx,
  integrationId: string,
  now: number,
  length: number,
): Promise<FeedIncident[]> {
  const [incidents, tests] = await Promise.all([
    listFeedIncidents(tx, integrationId, length),
    readTestNews(tx, integrationId, now),
  ]);
  const known = new Set(incidents.map(({ key }) => key));
  const news = tests
    .filter(({ key }) => !known.has(key))
    .map((episode): FeedIncident => {
      const { key, kind, subject, repository, workflow, branch, text, from } = episode;
      const at = new Date(from);
      const noFailures = { failedRuns: 0, failedJobs: 0, closeReason: null, closedAt: null };
      const place = { kind, subject, repository, workflow, branch };
      return {
        ...place,
        ...noFailures,
        key,
        incidentId: idOf(key),
        evidence: text,
        lastFailure: episode,
        openedAt: at,
        updatedAt: at,
      };
    });
  return [...incidents, ...news]
    .toSorted((a, b) => b.openedAt.getTime() - a.openedAt.getTime())
    .slice(0, length);
}

/** A UUID for custom contents (RFC 9562), so that readers know the entry again. */
function idOf(key: string): string {
  return `${key.slice(0, 8)}-${key.slice(8, 12)}-8${key.slice(13, 16)}-8${key.slice(17, 20)}-${key.slice(20, 32)}`;
}
