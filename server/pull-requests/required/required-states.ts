import { matchesGlob } from '#contract/alerts/glob.ts';
import type { RequiredCheck, RequiredChecks } from '#contract/runs/pull-requests.ts';
import type { RequiredRow } from './required-store.ts';

/** A job of the newest run of its workflow for a commit. */
export interface ReportedJob {
  workflow: string | null;
  event: string | null;
  name: string;
  status: string;
  conclusion: string | null;
}

type Named = Pick<ReportedJob, 'workflow' | 'event' | 'name'>;

/** Whether a job is a required check. GitHub names a check like its job; Gitea and Forgejo take patterns of `workflow / job (event)`. */
export function isRequired(
  { checks, arePatterns }: Pick<RequiredRow, 'checks' | 'arePatterns'>,
  job: Named,
): boolean {
  return checks?.some((check) => matches(check, arePatterns, job)) === true;
}

function matches(check: string, isPattern: boolean, { workflow, event, name }: Named): boolean {
  return isPattern
    ? matchesGlob(`${workflow ?? ''} / ${name} (${event ?? ''})`, check, 'character')
    : check === name;
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
      const reported = jobs.filter((job) => matches(name, arePatterns, job));
      return { name, state: stateOf(reported) };
    }),
  };
}

/** A forge lets skipped and neutral checks pass. */
const passes = (conclusion: string | null): boolean =>
  ['success', 'skipped', 'neutral'].includes(conclusion ?? '');

/** All jobs of a check must pass. */
function stateOf(jobs: readonly ReportedJob[]): RequiredCheck['state'] {
  if (jobs.length === 0) return 'missing';
  if (jobs.some(({ status, conclusion }) => status === 'completed' && !passes(conclusion))) return 'failed';
  return jobs.every(({ status }) => status === 'completed') ? 'passed' : 'running';
}
