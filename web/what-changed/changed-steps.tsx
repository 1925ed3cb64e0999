import type { ChangeKind } from '#contract/metrics/changes.ts';
import type { StepNumbers, StepTrend } from '#contract/metrics/steps.ts';
import { ChangeText } from '../ui/change-text.tsx';
import { changeOf } from '../ui/change.ts';
import { formatPercent } from '../ui/locale.ts';
import { clip } from '../ui/text/clip.ts';
import { formatDuration } from '../ui/time/format-duration.ts';
import { BeforeAfter } from './before-after.tsx';

/** The steps of a job that became slower or fail more. */
export function ChangedSteps({ steps, kind }: { steps: readonly StepTrend[]; kind: ChangeKind }) {
  if (steps.length === 0) return null;
  return (
    <ul aria-label="Steps" className="mt-1 border-l border-line-strong pl-2 text-xs">
      {steps.map(({ step, before, after }) => {
        const [was, is] = [before && valueOf(before, kind), valueOf(after, kind)];
        return (
          <li key={step}>
            <bdi className="wrap-anywhere">{clip(step, 80)}</bdi>{' '}
            <span className="whitespace-nowrap text-muted">
              <BeforeAfter before={textOf(was, kind)} after={textOf(is, kind)} />
              <ChangeText change={changeOf(is, was, kind === 'slower' ? 'amount' : 'rate', 'less')} />
            </span>
          </li>
        );
      })}
    </ul>
  );
}

/** The median; the 95th percentile where only that rose is on the page of the workflow. */
const valueOf = (numbers: StepNumbers, kind: ChangeKind): number | null =>
  kind === 'slower' ? numbers.durationP50Ms : numbers.failedShare;

function textOf(value: number | null, kind: ChangeKind): string {
  if (kind !== 'slower') return formatPercent(value);
  return value === null ? '–' : formatDuration(value);
}
