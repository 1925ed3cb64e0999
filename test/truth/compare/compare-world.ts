import type { Delivery } from '../world/facts.ts';
import { incidentsOf } from '../model/incidents.ts';
import { repositoriesOf, statesOf } from '../model/states.ts';
import { rowsOf } from '../model/rows.ts';
import type { Shown } from '../product/shown.ts';
import { compareIncidents } from './compare-incidents.ts';
import { compareRows } from './compare-rows.ts';
import { compareStates } from './compare-states.ts';
import { Differences } from './differences.ts';
import { namesOf } from './names.ts';

/** What the product shows otherwise than the model, each difference in a line. */
export function compareWorld(posts: readonly Delivery[], shown: Shown, now: number): string[] {
  const differences = new Differences();
  // A delivery that comes twice says nothing new.
  const arrivals = [...new Map(posts.map((post) => [post.deliveryId, post])).values()];
  const rows = rowsOf(arrivals);
  compareRows(rows, shown, differences);
  const names = namesOf(rows, shown, differences);
  compareStates(statesOf(rows.runs, repositoriesOf(arrivals), now), names, shown, differences);
  const facts = arrivals.map(({ fact }) => fact);
  const expected = [true, false].map((doJobsWait) => incidentsOf({ facts, now, doJobsWait }));
  compareIncidents(expected, names, shown, differences);
  return differences.lines;
}
