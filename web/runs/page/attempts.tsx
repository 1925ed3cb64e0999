import type { RunAttempt } from '#contract/runs/runs.ts';
import { clip } from '../../ui/text/clip.ts';
import { Duration, TimeAgo } from '../../ui/time/time.tsx';
import { runningSince } from '../run-status.ts';
import { StatusMark } from '../status-mark.tsx';
import { passedOnRerun } from './passed-on-rerun.ts';

/** The attempts of a run with their results and who started them. Each button shows the jobs of its attempt. */
export function Attempts({
  attempts,
  shown,
  onShow,
}: {
  attempts: readonly RunAttempt[];
  shown: number;
  onShow: (attempt: number) => void;
}) {
  if (attempts.length < 2) return null;
  const passed = passedOnRerun(attempts);
  return (
    <section aria-labelledby="attempts-title">
      <h2 id="attempts-title" className="mb-1 font-semibold">
        Attempts
      </h2>
      {passed !== undefined && (
        <p className="mb-2 text-muted">
          Flaky: attempt {passed.failed} failed and attempt {passed.passed} passed on the same commit.
        </p>
      )}
      <fieldset aria-label="Attempts" className="flex min-w-0 flex-wrap gap-2">
        {attempts.map((one) => (
          <button
            key={one.attempt}
            type="button"
            aria-pressed={one.attempt === shown}
            className="prints flex max-w-full flex-col rounded-md border border-line px-3 py-1.5 text-left hover:bg-hover aria-pressed:border-accent aria-pressed:bg-selected"
            onClick={() => onShow(one.attempt)}
          >
            <span className="inline-flex items-center gap-2">
              Attempt {one.attempt}
              <StatusMark status={one.status} conclusion={one.conclusion} supersededBy={one.supersededBy} />
            </span>
            <AttemptFacts attempt={one} />
          </button>
        ))}
      </fieldset>
    </section>
  );
}

function AttemptFacts({ attempt: one }: { attempt: RunAttempt }) {
  const { attempt, triggeringActor, startedAt, durationMs } = one;
  return (
    <span className="text-xs text-muted">
      {triggeringActor !== null && (
        <>
          {attempt === 1 ? 'by ' : 're-run by '}
          <bdi>{clip(triggeringActor, 60)}</bdi>{' '}
        </>
      )}
      {startedAt !== null && <TimeAgo time={startedAt} />}
      {(durationMs !== null || runningSince(one) !== null) && (
        <>
          {', took '}
          <Duration ms={durationMs} since={runningSince(one)} />
        </>
      )}
    </span>
  );
}
