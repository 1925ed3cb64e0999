import type { RequiredCheck, RequiredChecks } from '#contract/runs/pull-requests.ts';
import { isCheck, passes, type NamedCheck } from '#server/runs/green/check-names.ts';
import type { RequiredRow } from './required-store.ts';

/** A job of the newest run of its workflow for a commit. */
export interface ReportedJob extends NamedCheck {
  status: string;
  conclusion: string | null;
}

/** Whether a job is a required check. */
export function isRequired(
  { checks, arePatterns }: Pick<RequiredRow, 'checks' | 'arePatterns'>,
  job: NamedCheck,
): boolean {
  return checks?.some((check) => isCheck(check, arePatterns, job)) === true;
}

/** What became of the required checks in the jobs of a commit. */
export function requiredChecks(row: RequiredRow, jobs: readonly ReportedJob[]): RequiredChecks {
  const { checks, arePatterns, isConnected, isRead } = row;
  if (!isConnected) return { state: 'no_connection', checks: [] };
  if (!isRead) return { state: 'reading', checks: [] };
  if (checks === null) return { state: 'unreadable', checks: [] };
  return {
    state: 'known',
    checks: checks.map((name): RequiredCheck => {
      const reported = jobs.filter((job) => isCheck(name, arePatterns, job));
      return { name, state: stateOf(reported) };
    }),
  };
}

/** All jobs of a check must pass. */
function stateOf(jobs: readonly ReportedJob[]): RequiredCheck['state'] {
  if (jobs.length === 0) return 'missing';
  if (jobs.some(({ status, conclusion }) => status === 'completed' && !passes(conclusion))) return 'failed';
  return jobs.every(({ status }) => status === 'completed') ? 'passed' : 'running';
}
