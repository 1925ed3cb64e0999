import { earliest, joinFacts, joinLabels, joinNumbers, joinSteps } from './merge-facts.ts';
import type {
  AttemptRow,
  JobRow,
  PullRequestRow,
  ReviewRow,
  RunRow,
  VersionedRow,
} from '#server/runs/rows.ts';

/**
 * Each join makes of two rows of one object what both together say: the newer decides, what only grows is kept from both.
 * Commutative, associative and idempotent. Returns `stored` itself when `late` adds nothing.
 */

const attemptVerdict = ['repository', 'status', 'conclusion', 'completedAt', 'onDefaultBranch'] as const;
/** Facts of one attempt: those of an earlier one say nothing about it. */
const attemptFacts = ['workflowName', 'startedAt', 'triggeringActor'] as const;

export function joinAttempts(stored: AttemptRow, late: AttemptRow): AttemptRow {
  const [winner, loser] = newerFirst(stored, late, attemptVerdict);
  return joinFacts<AttemptRow>(attemptFacts, winner, loser);
}

const runVerdict = [...attemptVerdict, 'updatedAt'] as const;
const runFacts = [
  'runNumber',
  'workflowId',
  'workflowPath',
  'event',
  'title',
  'commitMessage',
  'headBranch',
  'headSha',
  'headRepository',
  'actor',
  'actorAvatarUrl',
  'url',
] as const;

export function joinRuns(stored: RunRow, late: RunRow): RunRow {
  const [winner, loser] = newerFirst(stored, late, runVerdict);
  const described = joinFacts<RunRow>(runFacts, winner, loser);
  const joined =
    winner.attempt === loser.attempt ? joinFacts<RunRow>(attemptFacts, described, loser) : described;
  return patch(joined, {
    createdAt: earliest(winner.createdAt, loser.createdAt),
    pullRequests: joinNumbers(winner.pullRequests, loser.pullRequests),
  });
}

/** The newest attempt of a run as a row of its own, for when a newer one takes its place. */
export function attemptOf(run: RunRow): AttemptRow {
  const { integrationId, runId, attempt, version, repository, status, conclusion, completedAt } = run;
  const { onDefaultBranch, workflowName, startedAt, triggeringActor } = run;
  const known = Object.entries(run.olderFacts ?? {}).filter(([name]) => attemptFacts.includes(name as never));
  const olderFacts = known.length === 0 ? null : Object.fromEntries(known);
  return {
    integrationId,
    runId,
    attempt,
    version,
    repository,
    status,
    conclusion,
    completedAt,
    onDefaultBranch,
    workflowName,
    startedAt,
    triggeringActor,
    olderFacts,
  };
}

const jobVerdict = ['repository', 'name', 'status', 'conclusion', 'completedAt', 'onDefaultBranch'] as const;
const jobFacts = [
  'workflowName',
  'headBranch',
  'headSha',
  'runnerName',
  'runnerGroup',
  'url',
  'startedAt',
] as const;

export function joinJobs(stored: JobRow, late: JobRow): JobRow {
  const [winner, loser] = newerFirst(stored, late, jobVerdict);
  return patch(joinFacts<JobRow>(jobFacts, winner, loser), {
    createdAt: earliest(winner.createdAt, loser.createdAt),
    labels: joinLabels(winner.labels, loser.labels),
    steps: joinSteps(winner.steps, loser.steps),
  });
}

/** The newer alone: a pull request's event holds all of it, and its labels may become fewer. */
export function joinPullRequests(stored: PullRequestRow, late: PullRequestRow): PullRequestRow {
  return newerFirst(stored, late, Object.keys(stored) as (keyof PullRequestRow)[])[0];
}

export function joinReviews(stored: ReviewRow, late: ReviewRow): ReviewRow {
  return newerFirst(stored, late, Object.keys(stored) as (keyof ReviewRow)[])[0];
}

/** Of events with the same version, as only a forge without version-1 delivery ids sends, the content decides. */
function newerFirst<Row extends VersionedRow>(
  stored: Row,
  late: Row,
  verdict: readonly (keyof Row)[],
): [Row, Row] {
  const order = Buffer.compare(stored.version, late.version);
  if (order !== 0) return order > 0 ? [stored, late] : [late, stored];
  const text = (row: Row) => JSON.stringify(verdict.map((name) => row[name]));
  return text(late) > text(stored) ? [late, stored] : [stored, late];
}

function patch<Row extends object>(row: Row, values: Partial<Row>): Row {
  for (const name in values) if (values[name] !== row[name]) return { ...row, ...values };
  return row;
}
