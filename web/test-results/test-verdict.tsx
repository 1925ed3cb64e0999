import type { ReactNode } from 'react';
import type { TestDetail, TestFailure } from '#contract/tests/tests.ts';
import { ShaLink } from '../runs/sha-link.tsx';
import { RunLink } from '../runs/run-link.tsx';
import { formatCount } from '../ui/locale.ts';
import { clip } from '../ui/text/clip.ts';
import { TimeAgo, TimeFor } from '../ui/time/time.tsx';
import { StateMark } from './state-mark.tsx';
import { lastSeenText, milliseconds, oddsText } from './test-texts.ts';

/** The state of a test, since when and how often, and what it follows from. */
export function TestVerdict({ test }: { test: TestDetail }) {
  return (
    <div className="flex flex-col gap-2">
      <p className="flex flex-wrap items-baseline gap-x-2 text-base">
        <strong className="font-semibold">
          <StateMark test={test} />
        </strong>
        <span>
          <HowOften test={test} />
        </span>
      </p>
      <p className="text-muted">
        <Evidence test={test} />
      </p>
    </div>
  );
}

function HowOften({ test }: { test: TestDetail }): ReactNode {
  const { state, since, slower, failures, firstSeenAt, lastSeenAt } = test;
  const odds = oddsText(test);
  switch (state) {
    case 'broken':
      return (
        <>
          on the default branch {since !== null && <TimeFor time={since} isFocusable />}:{' '}
          {formatCount(failures, 'failure')} on all branches in 14 days
        </>
      );
    case 'flaky':
      return (
        <>
          {since !== null && <TimeFor time={since} isFocusable />}: {odds ?? formatCount(failures, 'failure')}{' '}
          in 14 days
        </>
      );
    case 'slow':
      return (
        <>
          {slower !== null && `${milliseconds(slower.toMs)}, before ${milliseconds(slower.fromMs)}`}
          {since !== null && (
            <>
              , found <TimeAgo time={since} isFocusable />
            </>
          )}
        </>
      );
    case 'vanished':
      return `last seen ${lastSeenText(lastSeenAt)}`;
    case 'new':
    case 'healthy':
      return (
        <>
          {failures === 0 ? 'no failure' : formatCount(failures, 'failure')} in 14 days
          {odds !== undefined && `, ${odds}`}
          {state === 'new' && (
            <>
              , first seen <TimeAgo time={firstSeenAt} isFocusable />
            </>
          )}
        </>
      );
  }
}

function Evidence({ test }: { test: TestDetail }): ReactNode {
  const { state, firstFailure, recentFailures, lastFlakyAt } = test;
  switch (state) {
    case 'broken':
      return (
        <>
          {firstFailure === null ? (
            'It failed on the default branch'
          ) : (
            <>
              First failed in <RunName run={firstFailure} />
            </>
          )}
          , and has not passed there since.
        </>
      );
    case 'flaky': {
      const newest = recentFailures.find(({ isFlaky }) => isFlaky);
      return newest === undefined ? (
        <>
          It failed again and again on the default branch with passes between
          {lastFlakyAt !== null && (
            <>
              , last <TimeAgo time={lastFlakyAt} isFocusable />
            </>
          )}
          .
        </>
      ) : (
        <>
          Last failed and passed on one commit in <RunName run={newest} />,{' '}
          <TimeAgo time={newest.at} isFocusable />.
        </>
      );
    }
    case 'slow':
      return 'The median of its days on the default branch, the last seven against the four weeks before.';
    case 'vanished':
      return 'Its suite ran ten times on the default branch without it.';
    case 'new':
    case 'healthy':
      return otherBranchesText(recentFailures);
  }
}

/** Which branches a test failed on that is not broken. */
function otherBranchesText(failures: readonly TestFailure[]): string {
  const names = new Set(
    failures
      .filter(({ isFlaky, onDefaultBranch }) => !isFlaky && !onDefaultBranch)
      .map(({ branch }) => branch ?? 'unknown'),
  );
  if (names.size === 0) return 'It is neither broken nor flaky.';
  const shown = [...names].slice(0, 5).map((name) => clip(name, 60));
  const more = names.size - shown.length;
  return `It is neither broken nor flaky on the default branch. It failed on ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
}

function RunName({
  run: { runId, runNumber, attempt, title, headSha, repositoryUrl },
}: {
  run: Pick<TestFailure, 'runId' | 'runNumber' | 'attempt' | 'title' | 'headSha' | 'repositoryUrl'>;
}) {
  return (
    <>
      <RunLink runId={runId} search={{ attempt }}>
        {title !== null && <bdi>{clip(title, 80)} </bdi>}#{runNumber ?? runId}
      </RunLink>
      {headSha !== null && (
        <>
          {' '}
          at <ShaLink sha={headSha} repositoryUrl={repositoryUrl} />
        </>
      )}
    </>
  );
}
