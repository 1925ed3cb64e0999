import { earliest, mergeFacts, mergeLabels, mergeNumbers, mergeSteps } from './merge-facts.ts';
import type {
  AttemptRow,
  JobRow,
  PullRequestRow,
  ReviewRow,
  RunRow,
  VersionedRow,
} from '#server/runs/rows.ts';

/**
 * Each function merges two rows of one object: the newer row wins, and facts that only grow are taken from both. The merges are
 * commutative, associative and idempotent. They return `stored` itself when `incoming` adds nothing.
 */

const attemptTieBreakers = ['repository', 'status', 'conclusion', 'completedAt', 'onDefaultBranch'] as const;
/** Facts of one attempt. Those of an earlier attempt do not apply to it. */
const attemptFacts = ['workflowName', 'startedAt', 'triggeringActor'] as const;

export function mergeAttempts(stored: AttemptRow, incoming: AttemptRow): AttemptRow {
  const [winner, loser] = newerFirst(stored, incoming, attemptTieBreakers);
  return mergeFacts<AttemptRow>(attemptFacts, winner, loser);
}

const runTieBreakers = [...attemptTieBreakers, 'updatedAt'] as const;
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

export function mergeRuns(stored: RunRow, incoming: RunRow): RunRow {
  const [winner, loser] = newerFirst(stored, incoming, runTieBreakers);
  const described = mergeFacts<RunRow>(runFacts, winner, loser);
  const merged =
    winner.attempt === loser.attempt ? mergeFacts<RunRow>(attemptFacts, described, loser) : described;
  return patch(merged, {
    createdAt: earliest(winner.createdAt, loser.createdAt),
    pullRequests: mergeNumbers(winner.pullRequests, loser.pullRequests),
  });
}

/** A run's newest attempt as a row of its own, used when a newer attempt replaces it in the run. */
export function latestAttemptOf(run: RunRow): AttemptRow {
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

const jobTieBreakers = [
  'repository',
  'name',
  'status',
  'conclusion',
  'completedAt',
  'onDefaultBranch',
] as const;
const jobFacts = [
  'workflowName',
  'headBranch',
  'headSha',
  'runnerName',
  'runnerGroup',
  'url',
  'startedAt',
] as const;

export function mergeJobs(stored: JobRow, incoming: JobRow): JobRow {
  const [winner, loser] = newerFirst(stored, incoming, jobTieBreakers);
  return patch(mergeFacts<JobRow>(jobFacts, winner, loser), {
    createdAt: earliest(winner.createdAt, loser.createdAt),
    labels: mergeLabels(winner.labels, loser.labels),
    steps: mergeSteps(winner.steps, loser.steps),
  });
}

/** The newer row wins as a whole: each event contains the whole pull request, and labels may be removed. */
export function mergePullRequests(stored: PullRequestRow, incoming: PullRequestRow): PullRequestRow {
  return newerFirst(stored, incoming, Object.keys(stored) as (keyof PullRequestRow)[])[0];
}

export function mergeReviews(stored: ReviewRow, incoming: ReviewRow): ReviewRow {
  return newerFirst(stored, incoming, Object.keys(stored) as (keyof ReviewRow)[])[0];
}

/** With equal versions, which only forges without version-1 delivery ids send, the row with the larger tie breakers wins. */
function newerFirst<Row extends VersionedRow>(
  stored: Row,
  incoming: Row,
  tieBreakers: readonly (keyof Row)[],
): [Row, Row] {
  const order = Buffer.compare(stored.version, incoming.version);
  if (order !== 0) return order > 0 ? [stored, incoming] : [incoming, stored];
  const text = (row: Row) => JSON.stringify(tieBreakers.map((name) => row[name]));
  return text(incoming) > text(stored) ? [incoming, stored] : [stored, incoming];
}

function patch<Row extends object>(row: Row, values: Partial<Row>): Row {
  for (const name in values) if (values[name] !== row[name]) return { ...row, ...values };
  return row;
}
