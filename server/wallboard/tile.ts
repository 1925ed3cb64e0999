import { isRed } from '#contract/runs/conclusions.ts';
import type { Triage } from '#contract/alerts/incidents.ts';
import type { Tile } from '#contract/integrations/wallboard.ts';
import type { RedStreak } from '#server/failures/blame/blame.ts';
import type { WorkflowState } from '#server/runs/latest/workflow-states.ts';
import type { WallTimes } from './wall-store.ts';

export function tileOf(
  { repository, workflow, last }: WorkflowState,
  streak: Pick<RedStreak, 'since' | 'firstBad'> | undefined,
  times: WallTimes | undefined,
  triage: Triage | undefined,
): Tile {
  const isFailed = last !== null && isRed(last.conclusion);
  return {
    repository,
    workflow,
    state: last === null ? 'none' : isFailed ? 'failed' : 'passed',
    running: runningOf(times),
    last: last === null ? null : decisionOf(last, isFailed),
    failingSince: isFailed ? (streak?.since ?? last.createdAt) : null,
    firstBad: isFailed ? (streak?.firstBad ?? null) : null,
    handledBy: isFailed && triage !== undefined ? handlerOf(triage) : null,
  };
}

function handlerOf({ assignee, acknowledged }: Triage): Tile['handledBy'] {
  const person = assignee ?? (acknowledged === null ? undefined : acknowledged.by);
  return person === undefined ? null : { name: person?.name ?? null };
}

function decisionOf(
  { runId, runNumber, title, completedAt, errorLine }: NonNullable<WorkflowState['last']>,
  isFailed: boolean,
): Tile['last'] {
  return { runId, runNumber, title, completedAt, errorLine: isFailed ? errorLine : null };
}

function runningOf(times: WallTimes | undefined): Tile['running'] {
  if (!times?.startedAt || times.runId === null) return null;
  return { runId: times.runId, startedAt: times.startedAt.toISOString(), expectedMs: times.expectedMs };
}

/** Failed tiles first, those that broke last in front; then by name. */
export function inOrder(tiles: readonly Tile[]): Tile[] {
  const nameOf = ({ repository, workflow }: Tile): string => `${repository} ${workflow}`;
  return tiles.toSorted(
    (a, b) =>
      Number(b.state === 'failed') - Number(a.state === 'failed') ||
      (b.failingSince ?? '').localeCompare(a.failingSince ?? '') ||
      nameOf(a).localeCompare(nameOf(b)),
  );
}
