import type { ReactNode } from 'react';
import { failedChecksText } from '#contract/failures/check-verdict.ts';
import type { Commit, PullRequestDetail, Review } from '#contract/runs/pull-requests.ts';
import { ForgeLink } from '../../runs/forge-link.tsx';
import { clip } from '../../ui/text/clip.ts';
import { safeUrl } from '../../ui/text/safe-url.ts';
import { OutsideLink } from '../../ui/text/text-link.tsx';
import { formatDuration } from '../../ui/time/format-duration.ts';
import { TimeAgo } from '../../ui/time/time.tsx';
import { CheckStateMark } from '../check-state.tsx';
import { reviewText, stateOf } from '../review-texts.ts';
import { RequiredLine } from './required-checks.tsx';

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
