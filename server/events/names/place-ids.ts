import { lastPlace, storedId } from '#server/runs/objects/forge-ids.ts';
import type { MonitoringEvent } from '../parsing/parse-event.ts';
import type { EventSource } from './event-source.ts';
import type { HostPlace, Names, RepositoryName } from './names.ts';

/**
 * Gives the ids of runs, jobs, reviews, deployments and forks of each event the place of its forge, so that equal ids of two forges never meet. Returns the same
 * events when all are of the first forge. Pure.
 */
export function placeIds(names: Names, events: readonly MonitoringEvent[]): readonly MonitoringEvent[] {
  if ([...names.repositories, ...names.hosts].every(({ place }) => !place)) return events;
  const repositoriesOf = Map.groupBy(names.repositories, ({ integrationId }) => integrationId);
  const placed = events.map((event) => {
    const { source, integrationId, row } = event;
    if (source === undefined) return event;
    const known = findRepository(repositoriesOf.get(integrationId), row.repository, source);
    return withPlace(event, known?.place ?? placeOfHost(names.hosts, integrationId, source.host));
  });
  return placed.every((event, index) => event === events[index]) ? events : placed;
}

/** New forges get the places after those that are known, in the order of their first events. */
export function placesOf(known: readonly HostPlace[], events: readonly MonitoringEvent[]): HostPlace[] {
  const places = new Map(known.map((each) => [`${each.integrationId} ${each.host}`, { ...each }]));
  const highest = new Map(known.map(({ integrationId, highest: place }) => [integrationId, place]));
  for (const { integrationId, source } of events) {
    const one = places.get(`${integrationId} ${source?.host}`);
    if (one === undefined || one.place !== null) continue;
    const before = highest.get(integrationId) ?? -1;
    one.place = Math.min(before + 1, lastPlace);
    highest.set(integrationId, one.place);
  }
  return [...places.values()];
}

export function placeOfHost(hosts: readonly HostPlace[], integrationId: string, host: string | null): number {
  return hosts.find((each) => each.integrationId === integrationId && each.host === host)?.place ?? 0;
}

/** By the ids of the forge, or by the name where one of them is not known, among the repositories of the integration. */
export function findRepository(
  repositories: readonly RepositoryName[] = [],
  fullName: string,
  { repositoryId, host }: EventSource,
): RepositoryName | undefined {
  return repositories.find(
    (each) =>
      isSameHost(each.host, host) &&
      (repositoryId === null || each.forgeId === null
        ? each.fullName === fullName
        : each.forgeId === repositoryId),
  );
}

const isSameHost = (one: string | null, other: string | null): boolean =>
  one === null || other === null || one === other;

function withPlace(event: MonitoringEvent, place: number): MonitoringEvent {
  if (place === 0) return event;
  const forkOf = ({ forkId }: { forkId: number | null }) => forkId && storedId(forkId, place);
  switch (event.type) {
    case 'workflow_run':
      return {
        ...event,
        row: { ...event.row, runId: storedId(event.row.runId, place), forkId: forkOf(event.row) },
      };
    case 'workflow_job': {
      const { runId, jobId } = event.row;
      return {
        ...event,
        row: { ...event.row, runId: storedId(runId, place), jobId: storedId(jobId, place) },
      };
    }
    case 'pull_request_review':
      return { ...event, row: { ...event.row, reviewId: storedId(event.row.reviewId, place) } };
    case 'deployment_status': {
      const { deploymentId, runId } = event.row;
      return {
        ...event,
        row: {
          ...event.row,
          deploymentId: storedId(deploymentId, place),
          runId: runId && storedId(runId, place),
        },
      };
    }
    case 'pull_request':
      return { ...event, row: { ...event.row, forkId: forkOf(event.row) } };
  }
}
