import type { Figures, UnfinishedRuns } from '../model/figures.ts';
import type { Rows } from '../model/rows.ts';
import type { Shown } from '../product/shown.ts';
import type { Differences } from './differences.ts';

/** The feed has the newest incidents only. */
const feedLength = 50;

/** What other programs read must say what the pages say. The pages themselves are compared with the model. */
export function compareFormats(
  { runs }: Rows,
  { running, waiting }: Figures & UnfinishedRuns,
  { incidents, overview, formats: { feed, counters, mcpOverview } }: Shown,
  differences: Differences,
): void {
  if (incidents.length <= feedLength)
    differences.sameSet(
      'Atom feed',
      feed.map(({ incidentId, published }) => `${incidentId} since ${published}`),
      incidents.map(({ incidentId, openedAt }) => `${incidentId} since ${openedAt}`),
    );
  for (const { incidentId, title, summary } of feed) {
    const incident = incidents.find((each) => each.incidentId === incidentId);
    if (incident === undefined) continue;
    const { closeReason, failedRuns, failedJobs, repository, branch } = incident;
    const end = closeReason === null ? 'is broken' : closeReason === 'recovered' ? 'recovered' : 'was closed';
    const hasAll =
      title.endsWith(`of ${repository} on ${branch} ${end}`) &&
      summary.includes(`Failed runs: ${failedRuns}, failed jobs: ${failedJobs}.`);
    if (!hasAll) differences.add(`Atom feed: ${title}: ${summary}, and the incident says otherwise`);
  }
  // Each attempt counts once, when it completes.
  const completed = [...runs.values()].flatMap(({ attempts }) =>
    [...attempts.values()].filter(({ status }) => status === 'completed'),
  );
  differences.same('metrics.txt', counters, {
    attempts: completed.length,
    succeeded: completed.filter(({ conclusion }) => conclusion === 'success').length,
    running,
    waiting,
  });
  differences.same('MCP: workflows', mcpOverview.needsAttention, overview.needsAttention);
  differences.same('MCP: runs', mcpOverview.runs, overview.runs);
}
