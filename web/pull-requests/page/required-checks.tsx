import type { PullRequestDetail, RequiredCheck } from '#contract/runs/pull-requests.ts';
import { StatusIcon } from '../../runs/status-mark.tsx';
import { clip } from '../../ui/text/clip.ts';

const looks: Record<RequiredCheck['state'], { word: string; status: string; conclusion: string | null }> = {
  failed: { word: 'failed', status: 'completed', conclusion: 'failure' },
  running: { word: 'running', status: 'in_progress', conclusion: null },
  passed: { word: 'passed', status: 'completed', conclusion: 'success' },
  missing: { word: 'not reported', status: 'waiting', conclusion: null },
};

const unknown = {
  reading: 'they are read from the forge when the next run of a pull request ends',
  no_connection: 'no connection to the forge sees this repository',
  unreadable: 'the forge does not tell them to the connection',
};

/** The checks that must pass before the merge, in one line. */
export function RequiredLine({ required }: { required: PullRequestDetail['requiredChecks'] }) {
  if (required.state !== 'known')
    return <p className="text-muted">Required checks are not known: {unknown[required.state]}.</p>;
  if (required.checks.length === 0) return <p className="text-muted">No check is required.</p>;
  return (
    <div className="flex min-w-0 flex-wrap gap-x-4 gap-y-1">
      <span className="font-semibold">Required</span>
      <ul aria-label="Required checks" className="contents">
        {required.checks.map(({ name, state }) => (
          <li key={name} className="inline-flex min-w-0 items-center gap-1.5">
            <StatusIcon {...looks[state]} />
            <bdi className="truncate">{clip(name, 100)}</bdi>
            <span className="shrink-0 text-muted">{looks[state].word}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
