import { maxFacetValues, type WorkflowFacets, type WorkflowFacetsQuery } from '#contract/runs/runs.ts';
import { runFacets, type RunFacet } from '#contract/runs/run-facets.ts';
import type { Tx } from '#platform/database/database.ts';
import { readShownNames } from '../names/shown-names.ts';
import { runFilter } from './run-filter.ts';
import { countFacets } from './run-list-store.ts';

/** Enough runs to find the frequent values, at a cost that does not grow with history. */
const maxScanned = 2000;

/** Counts the values that runs can be filtered by. Two round trips. */
export async function facetsOfRuns(
  tx: Tx,
  integrationId: string,
  query: WorkflowFacetsQuery,
  scanLimit = maxScanned,
): Promise<WorkflowFacets> {
  // The index of a filter would hide the other values of its facet.
  const filter = runFilter(integrationId, query, { narrow: false });
  const { isEmpty } = await readShownNames(tx, [integrationId]);
  const { counted, counts } = await countFacets(tx, filter, scanLimit, maxFacetValues, !isEmpty);
  return {
    counted,
    complete: counted < scanLimit,
    facets: Object.fromEntries(
      runFacets.map((facet) => [
        facet,
        counts.filter((count) => count.facet === facet).map(({ value, count }) => ({ value, count })),
      ]),
    ) as Record<RunFacet, { value: string; count: number }[]>,
  };
}
