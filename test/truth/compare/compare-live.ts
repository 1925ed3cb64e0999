import type { WorkflowJob, WorkflowRun } from '#contract/runs/runs.ts';
import { liveKey, type Live } from '../product/live.ts';
import type { Shown } from '../product/shown.ts';
import type { Differences } from './differences.ts';

/** A screen that was open all the time must end with what the lists hold. */
export function compareLive(live: Live, { runs, details }: Shown, differences: Differences): void {
  for (const fault of live.faults) differences.add(`live: ${fault}`);
  if (live.resyncs() > 0) return;
  const shown = [
    ...runs.map((run) => [liveKey('workflow_run', run), run] as const),
    ...[...details.values()].flatMap(({ jobs }) =>
      jobs.map((job) => [liveKey('workflow_job', job), job] as const),
    ),
  ];
  for (const [key, object] of shown) {
    const told = live.objects.get(key);
    if (told === undefined) differences.add(`live: no update came for ${key}`);
    // The run of a job says when it ended, if its own completion was lost.
    else if (told.status === 'completed' || 'pullRequests' in told)
      differences.sameFields(`live ${key}`, told, fieldsOf(object));
  }
}

type LiveObject = WorkflowRun | WorkflowJob;

const fieldsOf = ({ status, conclusion, attempt, startedAt, completedAt }: LiveObject) => ({
  status,
  conclusion,
  attempt,
  startedAt,
  completedAt,
});
