import { branchOf } from '#contract/runs/merge-group.ts';
import type { ReceivedObject, RuleEvaluator } from '#server/alerts/evaluation/rule-evaluator.ts';
import { recordOutcomes } from '#server/deliveries/outcomes/record-outcomes.ts';
import { recordFailedRuns } from '#server/event-log/record-failed-runs.ts';
import { enqueueRuns } from '#server/personal-notifications/enqueue-runs.ts';
import type { TransactionHook, MessageOutcome } from '#server/worker/store-events.ts';
import { noteConclusions } from '#server/conclusions/conclusion-settler.ts';
import { noteFailures } from '#server/failures/storing/failure-recorder.ts';
import type { TraceExporter } from '#server/trace-export/sending/exporter.ts';
import { announcePullRequests } from '#server/pull-requests/announce-pull-requests.ts';
import { requestRequiredChecks } from '#server/pull-requests/required/read-required.ts';
import type { JobRow } from '#server/runs/objects/job.ts';
import type { RunRow } from '#server/runs/objects/run.ts';
import { noteAttempts } from '#server/test-results/artifacts/read-artifacts.ts';
import { announceRuns } from '#server/webhook-events/announce-runs.ts';

export interface WorkerEffects {
  /**
   * Enqueues completions for the evaluation of rules, and failed jobs for their reasons. Adds failed runs to the event log. Notes runs
   * that people are mailed about, runs to export and runs whose artifacts are read. Sends webhooks about completed runs to subscriptions.
   */
  enqueueCompletions: TransactionHook;
  /** The same, and what became of each message. */
  recordBatchEffects: TransactionHook;
}

/** Side effects that commit together with the events of a batch. */
export function workerEffects(
  evaluator: Pick<RuleEvaluator, 'enqueue'>,
  traces: Pick<TraceExporter, 'enqueue'>,
): WorkerEffects {
  const enqueueCompletions: TransactionHook = (tx, _live, outcomes) => {
    const ended = outcomes.flatMap(endedObject);
    evaluator.enqueue(tx, ended);
    announcePullRequests(tx, outcomes.flatMap(integrationOfPullRequest));
    const jobs = ended.flatMap(({ object }) => ('jobId' in object ? [object] : []));
    noteFailures(tx, jobs);
    const runs = ended.flatMap(({ object }) => ('runNumber' in object ? [object] : []));
    // Before the log, which leaves out failures whose conclusion may change.
    noteConclusions(tx, { runs, jobs });
    const shown = new Map(outcomes.map(({ event }) => [event.row, event.source?.shown]));
    recordFailedRuns(
      tx,
      // By the stored names: a repository may be shown under another one.
      runs.map((run) => ({
        ...run,
        ...shown.get(run),
        branch: branchOf(run.headBranch, run.headRepository, run.repository),
      })),
    );
    enqueueRuns(tx, runs);
    noteAttempts(tx, runs);
    traces.enqueue(
      tx,
      ended.map(({ object }) => object),
    );
    announceRuns(tx, runs);
    requestRequiredChecks(tx, runs);
  };
  return {
    enqueueCompletions,
    recordBatchEffects: (tx, live, outcomes) => {
      enqueueCompletions(tx, live, outcomes);
      recordOutcomes(tx, outcomes);
    },
  };
}

/**
 * Uses the events, not the stored rows: one batch may end an attempt and begin the next one. An attempt whose completion arrives after
 * the next one began has completed too.
 */
function endedObject(message: MessageOutcome): ReceivedObject<RunRow | JobRow>[] {
  const { outcome, event, messageId, receivedAt } = message;
  if (outcome === 'stale' && message.reason !== 'earlier_attempt_updated') return [];
  const delivery = { messageId, receivedAt };
  if (event.type === 'workflow_run') return [{ object: event.row, ...delivery }];
  return event.type === 'workflow_job' ? [{ object: event.row, ...delivery }] : [];
}

function integrationOfPullRequest({ outcome, event }: MessageOutcome): string[] {
  const isShown = event.type === 'pull_request' || event.type === 'pull_request_review';
  return outcome === 'stored' && isShown ? [event.row.integrationId] : [];
}
