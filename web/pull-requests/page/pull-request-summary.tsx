import type { ReactNode } from 'react';
import { failedChecksText } from '#contract/failures/check-verdict.ts';
import type { Commit, PullRequestDetail, RequiredCheck, Review } from '#contract/runs/pull-requests.ts';
import { StatusIcon } from '../../runs/status-mark.tsx';
import { ForgeLink } from '../../runs/forge-link.tsx';
import { clip } from '../../ui/text/clip.ts';
import { safeUrl } from '../../ui/text/safe-url.ts';
import { OutsideLink } from '../../ui/text/text-link.tsx';
import { formatDuration } from '../../ui/time/format-duration.ts';
import { TimeAgo } from '../../ui/time/time.tsx';
import { CheckStateMark } from '../check-state.tsx';
import { reviewText, stateOf } from '../review-texts.ts';

/** What the checks say, then the facts about the pull request in one line. */
export function PullRequestSummary({ detail }: { detail: PullRequestDetail }) {
  const { pullRequest: pull, requiredChecks, greenToMergeMs, reviews, commits } = detail;
  const [newest] = commits;
  return (
    <section aria-label="Summary" className="flex flex-col gap-2">
      <p className="flex flex-wrap items-center gap-x-4 gap-y-1 text-base font-semibold">
        {stateOf(pull)}
        {newest && <Verdict commit={newest} />}
        {greenToMergeMs !== null && (
          <span className="font-normal">
            merged {formatDuration(greenToMergeMs)} after its checks had passed
          </span>
        )}
      </p>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-muted">
        <span>
          {pull.createdAt && (
            <>
              opened <TimeAgo time={pull.createdAt} isFocusable />
            </>
          )}
          {pull.author && (
            <>
              {' '}
              by <bdi>{clip(pull.author, 100)}</bdi>
            </>
          )}
        </span>
        <bdi>{clip(pull.repository)}</bdi>
        <span className="min-w-0 font-mono text-xs wrap-anywhere">
          <bdi>{clip(pull.headBranch ?? 'unknown branch')}</bdi> <span aria-label="into">→</span>{' '}
          <bdi>{clip(pull.baseBranch ?? 'unknown branch')}</bdi>
        </span>
        {pull.labels.length > 0 && <bdi className="min-w-0 truncate">{clip(pull.labels.join(', '))}</bdi>}
        {reviews.map(({ author, state, url }, index) => (
          // Each reviewer is listed once; deleted accounts have no name.
          <span key={author ?? index} className="min-w-0 truncate">
            <ReviewLink url={safeUrl(url)}>
              <bdi>{clip(author ?? 'A deleted account', 100)}</bdi> {reviewText(state)}
            </ReviewLink>
          </span>
        ))}
        <ForgeLink url={pull.url} />
      </div>
      {pull.state === 'open' && <RequiredLine required={requiredChecks} />}
    </section>
  );
}

/** How many checks of a commit failed and what that means; else their state. */
function Verdict({ commit: { checks, summary } }: { commit: Commit }) {
  const failed = failedChecksText(checks);
  return failed === null ? (
    <CheckStateMark checks={summary} />
  ) : (
    <span className="text-failed">{failed}</span>
  );
}

function ReviewLink({ url, children }: { url: Review['url'] | undefined; children: ReactNode }) {
  if (!url) return children;
  return (
    <OutsideLink href={url} about="at the forge">
      {children}
    </OutsideLink>
  );
}

const requiredLooks: Record<
  RequiredCheck['state'],
  { word: string; status: string; conclusion: string | null }
> = {
  failed: { word: 'failed', status: 'completed', conclusion: 'failure' },
  running: { word: 'running', status: 'in_progress', conclusion: null },
  passed: { word: 'passed', status: 'completed', conclusion: 'success' },
  missing: { word: 'not reported', status: 'waiting', conclusion: null },
};

const unknownBecause = {
  reading: 'they are read from the forge when the next run of a pull request ends',
  no_connection: 'no connection to the forge sees this repository',
  unreadable: 'the forge does not tell them to the connection',
};

/** The checks that must pass before the merge, in one line. */
function RequiredLine({ required }: { required: PullRequestDetail['requiredChecks'] }) {
  if (required.state !== 'known')
    return <p className="text-muted">Required checks are not known: {unknownBecause[required.state]}.</p>;
  if (required.checks.length === 0) return <p className="text-muted">No check is required.</p>;
  return (
    <div className="flex min-w-0 flex-wrap gap-x-4 gap-y-1">
      <span className="font-semibold">Required</span>
      <ul aria-label="Required checks" className="contents">
        {required.checks.map(({ name, state }) => (
          <li key={name} className="inline-flex min-w-0 items-center gap-1.5">
            <StatusIcon {...requiredLooks[state]} />
            <bdi className="truncate">{clip(name, 100)}</bdi>
            <span className="shrink-0 text-muted">{requiredLooks[state].word}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
