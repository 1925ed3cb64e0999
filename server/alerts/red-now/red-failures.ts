import { backTestDays } from '#contract/alerts/back-test.ts';
import { mostRedNow } from '#contract/alerts/alerts.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import type { BranchState } from '#server/alerts/incidents/incident-reducer.ts';
import type { Completion } from '#server/alerts/rules/matching-rules.ts';

/** People leave other branches behind in red. Only the default branch counts for as long as the back-test looks back. */
const otherBranchDays = 7;

/** The newest failure of each branch that is red at the end of a replay, the newest first. Pure. */
export function redFailures(branches: readonly BranchState[], now: number): Completion[] {
  return branches
    .flatMap(({ open }) => (open === null ? [] : [open.last]))
    .filter(({ at, onDefaultBranch }) => {
      const days = onDefaultBranch === true ? backTestDays : otherBranchDays;
      return at >= now - days * dayMs;
    })
    .toSorted((a, b) => b.at - a.at)
    .slice(0, mostRedNow);
}
