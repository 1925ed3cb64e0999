interface RunOfCommit {
  workflowPath: string | null;
  workflowName: string | null;
  event: string | null;
}

/** Of runs of one commit, newest first, the newest one of each workflow and event. The stored name is the identity of a workflow. */
export function newestRuns<Run extends RunOfCommit>(runs: readonly Run[]): Run[] {
  const newest = new Map<string, Run>();
  for (const run of runs) {
    const key = JSON.stringify([run.workflowName ?? run.workflowPath, run.event]);
    if (!newest.has(key)) newest.set(key, run);
  }
  return [...newest.values()];
}
