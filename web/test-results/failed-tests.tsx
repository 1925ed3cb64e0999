import type { FailedTest } from '#contract/tests/tests.ts';
import { clip } from '../ui/text/clip.ts';
import { FailureTrace } from './failure-trace.tsx';
import { TestLink } from './test-link.tsx';
import { placeText, stateLabels } from './test-texts.ts';

type Shown = FailedTest & { trace?: string | null };

/** Failed and flaky tests of a run, each with its message and what is known about it. */
export function FailedTests({
  tests,
  newLabel,
}: {
  tests: readonly Shown[];
  /** For a test that fails only here: `New on this branch`. */
  newLabel: string;
}) {
  return (
    <ul aria-label="Failed and flaky tests" className="flex flex-col gap-2">
      {tests.map((each) => (
        <li
          key={`${each.testId} ${each.isFlaky} ${each.message}`}
          className={`flex min-w-0 flex-col gap-1 border-l-2 pl-3 ${each.isFlaky ? 'border-running' : 'border-failed'}`}
        >
          <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
            <TestLink testId={each.testId} className="min-w-0 font-medium wrap-anywhere hover:underline">
              <bdi>{clip(each.name)}</bdi>
            </TestLink>
            <Standing test={each} newLabel={newLabel} />
            <bdi className="min-w-0 text-xs wrap-anywhere text-muted">{clip(placeText(each), 120)}</bdi>
          </div>
          <FailureTrace
            label={`Trace of ${clip(each.name, 100)}`}
            message={each.message}
            trace={each.trace ?? null}
          />
        </li>
      ))}
    </ul>
  );
}

/** What the failure of a test means, as a mark like that of a failed job. */
function Standing({ test: { state, isFlaky, isNew }, newLabel }: { test: Shown; newLabel: string }) {
  const [text, look] = isFlaky
    ? ['Passed on a retry', 'border-running text-running']
    : isNew
      ? [newLabel, 'border-failed text-failed']
      : state === 'broken'
        ? ['Broken on the default branch', 'border-line-strong text-muted']
        : state === 'flaky'
          ? [stateLabels.flaky, 'border-running text-running']
          : ['Failed before', 'border-line-strong text-muted'];
  return <span className={`inline-flex items-center rounded-full border px-2 text-xs ${look}`}>{text}</span>;
}
