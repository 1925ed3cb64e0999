import { checkStates, type PullRequestItem } from '#contract/runs/pull-requests.ts';
import { timeOf } from '../ui/table/sort-rows.ts';
import { Table, type Column } from '../ui/table/table.tsx';
import { clip } from '../ui/text/clip.ts';
import { TimeAgo } from '../ui/time/time.tsx';
import { CheckStateMark } from './check-state.tsx';
import { PullRequestLink } from './pull-request-link.tsx';
import { decisionTexts, stateOf } from './review-texts.ts';

export function PullRequestTable({
  pullRequests,
  isCut = false,
}: {
  pullRequests: readonly PullRequestItem[];
  isCut?: boolean;
}) {
  return (
    <Table
      label="Pull requests"
      columns={columns}
      rows={pullRequests}
      isCut={isCut}
      rowKey={({ repository, number }) => `${repository} ${number}`}
    />
  );
}

const columns: readonly Column<PullRequestItem>[] = [
  {
    key: 'pull-request',
    header: 'Pull request',
    sortBy: ({ title }) => title,
    className: 'columns:w-full columns:max-w-0',
    renderCell: (pull) => <PullRequestCell pull={pull} />,
  },
  {
    key: 'checks',
    header: 'Checks',
    sortBy: ({ checks }) => -checkStates.indexOf(checks.state),
    renderCell: ({ checks }) => <CheckStateMark checks={checks} />,
  },
  {
    key: 'state',
    header: 'State',
    sortBy: stateOf,
    className: 'text-muted whitespace-nowrap',
    renderCell: (pull) => (
      <>
        {stateOf(pull)}
        {pull.review !== null && `, ${decisionTexts[pull.review].toLowerCase()}`}
        {pull.mergeQueue !== null && (
          <div className="flex items-center gap-x-2">
            Merge queue: <CheckStateMark checks={pull.mergeQueue} />
          </div>
        )}
      </>
    ),
  },
  {
    key: 'updated',
    header: 'Updated',
    sortBy: ({ updatedAt }) => timeOf(updatedAt),
    isAtEnd: true,
    className: 'text-muted whitespace-nowrap',
    renderCell: ({ updatedAt }) => updatedAt && <TimeAgo time={updatedAt} />,
  },
];

function PullRequestCell({ pull }: { pull: PullRequestItem }) {
  const { repository, number, title, author, headBranch, checks } = pull;
  return (
    <div className="min-w-0 py-1">
      <PullRequestLink
        repository={repository}
        number={number}
        isRow
        className="line-clamp-2 rounded-xs font-medium wrap-anywhere hover:underline"
      >
        <bdi>{clip(title ?? 'Pull request')}</bdi> <span className="font-normal text-muted">#{number}</span>
      </PullRequestLink>
      <div className="line-clamp-1 text-xs wrap-anywhere text-muted">
        <bdi>{clip(repository)}</bdi>
        {headBranch !== null && <bdi> · {clip(headBranch, 100)}</bdi>}
        {author !== null && <bdi> · {clip(author, 100)}</bdi>}
      </div>
      {checks.errorLine !== null && (
        <div className="line-clamp-2 font-mono text-xs leading-5 wrap-anywhere text-failed">
          <bdi>{clip(checks.errorLine)}</bdi>
        </div>
      )}
    </div>
  );
}
