import { maxCountedRuns, type Assessment } from './failures.ts';

export const faults = {
  runner_lost: 'runner lost',
  no_runner: 'no runner took the job',
  action_download: 'actions not downloaded',
  payment: 'account payment',
  timeout: 'timeout',
  disk_full: 'disk full',
  rate_limit: 'rate limit',
  registry: 'registry or mirror failed',
  network: 'network failed',
} as const;

/** The assessment as one line. `formatDate` formats the day of `since`. */
export function assessmentText(assessment: Assessment, formatDate: (time: string) => string): string {
  const { kind, infrastructure, branch, since, runs, reruns, passedReruns, otherBranches, otherSince } =
    assessment;
  const where = branch ?? 'the default branch';
  const extent = since === null || runs === null ? '' : ` since ${formatDate(since)}, ${runsText(runs)}`;
  const others =
    otherBranches === null || otherSince === null
      ? ''
      : ` on ${otherBranches} other ${otherBranches === 1 ? 'branch' : 'branches'} since ${formatDate(otherSince)}`;
  const also = others === '' ? '' : `, also${others}`;
  switch (kind) {
    case 'infrastructure':
      return `Infrastructure: ${infrastructure === null ? 'machine failed' : faults[infrastructure]}`;
    case 'flaky':
      // A member may mark a failure that was never re-run.
      return reruns ? `Flaky: passed on re-run ${passedReruns ?? 0} of ${reruns} times` : 'Known flaky';
    case 'default_branch':
      return `Also failing on ${where}${extent}${also}`;
    case 'branch':
      return `Failing on ${branch ?? 'this branch'}${extent}${also}`;
    case 'other_branches':
      return `Also failing${others}`;
    case 'new_on_branch':
      return 'New on this branch';
  }
}

function runsText(runs: number): string {
  if (runs >= maxCountedRuns) return `${maxCountedRuns}+ runs`;
  return runs === 1 ? '1 run' : `${runs} runs`;
}
