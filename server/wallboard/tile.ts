import { isDecided, isRed } from '#contract/runs/conclusions.ts';
import type { Tile } from '#contract/integrations/wallboard.ts';
import type { WallRun } from './wall-store.ts';

/** @param runs of one workflow, newest first, at least one */
export function tileOf(runs: readonly [WallRun, ...WallRun[]]): Tile {
  const [{ repository, workflow }] = runs;
  const last = runs.find(decides);
  const isFailed = last !== undefined && isRed(last.conclusion);
  return {
    repository,
    workflow,
    state: last === undefined ? 'none' : isFailed ? 'failed' : 'passed',
    running: runningOf(runs),
    last: last === undefined ? null : decisionOf(last, isFailed),
    failingSince: isFailed ? firstFailed(runs).createdAt.toISOString() : null,
  };
}

function decides({ status, conclusion }: WallRun): boolean {
  return status === 'completed' && isDecided(conclusion);
}

function decisionOf(
  { runId, runNumber, title, actor, completedAt, errorLine }: WallRun,
  isFailed: boolean,
): Tile['last'] {
  return {
    runId,
    runNumber,
    title,
    actor,
    completedAt: completedAt?.toISOString() ?? null,
    errorLine: isFailed ? errorLine : null,
  };
}

/** Of the failed runs since the last green one. */
function firstFailed(runs: readonly [WallRun, ...WallRun[]]): WallRun {
  const decided = runs.filter(decides);
  const green = decided.findIndex(({ conclusion }) => conclusion === 'success');
  return decided.slice(0, green === -1 ? undefined : green).at(-1) ?? runs[0];
}

function runningOf(runs: readonly WallRun[]): Tile['running'] {
  const run = runs.find(({ status }) => status !== 'completed');
  if (run === undefined) return null;
  const startedAt = (run.startedAt ?? run.createdAt).toISOString();
  return { runId: run.runId, startedAt, expectedMs: expectedMs(runs) };
}

/** The median of successful runs. */
function expectedMs(runs: readonly WallRun[]): number | null {
  const durations = runs
    .filter(({ conclusion }) => conclusion === 'success')
    .flatMap(({ startedAt, completedAt }) =>
      startedAt && completedAt ? [Math.max(0, completedAt.getTime() - startedAt.getTime())] : [],
    )
    .toSorted((a, b) => a - b);
  return durations[Math.floor(durations.length / 2)] ?? null;
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
