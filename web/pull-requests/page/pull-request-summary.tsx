import type { ReactNode } from 'react';
import type { PullRequestDetail, Review } from '#contract/runs/pull-requests.ts';
import { ForgeLink } from '../../runs/forge-link.tsx';
import { clip } from '../../ui/text/clip.ts';
import { safeUrl } from '../../ui/text/safe-url.ts';
import { OutsideLink } from '../../ui/text/text-link.tsx';
import { TimeAgo } from '../../ui/time/time.tsx';
import { CheckStateMark } from '../check-state.tsx';
import { reviewText, stateOf } from '../review-texts.ts';
import { Fact } from '../../ui/text/fact.tsx';

/** State, properties and reviews of a pull request. */
export function PullRequestSummary({ detail }: { detail: PullRequestDetail }) {
  const { pullRequest: pull, reviews, commits } = detail;
  const [newest] = commits;
  return (
    <section aria-label="Summary" className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <span className="text-base font-semibold">{stateOf(pull)}</span>
        {newest && <CheckStateMark checks={newest.summary} />}
        {pull.createdAt && (
          <span className="text-muted">
            opened <TimeAgo time={pull.createdAt} isFocusable />
          </span>
        )}
        <ForgeLink url={pull.url} />
      </div>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1 md:grid-cols-[auto_minmax(0,1fr)_auto_minmax(0,1fr)] [&>dd]:truncate">
        <Fact name="Repository">
          <bdi>{clip(pull.repository)}</bdi>
        </Fact>
        <Fact name="Author">{pull.author && <bdi>{clip(pull.author, 100)}</bdi>}</Fact>
        <Fact name="Branch">
          {pull.headBranch && <bdi className="font-mono text-xs">{clip(pull.headBranch)}</bdi>}
        </Fact>
        <Fact name="Into">
          {pull.baseBranch && <bdi className="font-mono text-xs">{clip(pull.baseBranch)}</bdi>}
        </Fact>
        <Fact name="Labels">{pull.labels.length > 0 && <bdi>{clip(pull.labels.join(', '))}</bdi>}</Fact>
        <Fact name="Reviews">{reviews.length > 0 && <Reviews reviews={reviews} />}</Fact>
      </dl>
    </section>
  );
}

function Reviews({ reviews }: { reviews: readonly Review[] }) {
  return (
    <ul className="flex flex-wrap gap-x-4">
      {reviews.map(({ author, state, url }, index) => (
        // Each reviewer is listed once; deleted accounts have no name.
        <li key={author ?? index} className="min-w-0 truncate">
          <ReviewLink url={safeUrl(url)}>
            <bdi>{clip(author ?? 'A deleted account', 100)}</bdi> {reviewText(state)}
          </ReviewLink>
        </li>
      ))}
    </ul>
  );
}

function ReviewLink({ url, children }: { url: string | undefined; children: ReactNode }) {
  if (url === undefined) return children;
  return (
    <OutsideLink href={url} about="at the forge">
      {children}
    </OutsideLink>
  );
}
