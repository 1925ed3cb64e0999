interface RunOfCommit {
  workflowPath: string | null;
  workflowName: string | null;
  event: string | null;
}

/** Of runs of one commit, newest first, the newest one of each workflow and event. */
export function newestRuns<Run extends RunOfCommit>(runs: readonly Run[]): Run[] {
  const newest = new Map<string, Run>();
  for (const run of runs) {
    const key = JSON.stringify([run.workflowPath ?? run.workflowName, run.event]);
    if (!newest.has(key)) newest.set(key, run);
  }
  return [...newest.values()];
}
