import CircleCheck from 'lucide-react/icons/circle-check';
import CircleDashed from 'lucide-react/icons/circle-dashed';
import CirclePlus from 'lucide-react/icons/circle-plus';
import CircleX from 'lucide-react/icons/circle-x';
import GitBranch from 'lucide-react/icons/git-branch';
import Shuffle from 'lucide-react/icons/shuffle';
import Timer from 'lucide-react/icons/timer';
import type { LucideIcon } from 'lucide-react';
import type { TestState, TestSummary } from '#contract/tests/tests.ts';
import { failsElsewhere, stateText } from './test-texts.ts';

const looks: Record<TestState, { Icon: LucideIcon; colour: string }> = {
  broken: { Icon: CircleX, colour: 'text-failed' },
  flaky: { Icon: Shuffle, colour: 'text-running' },
  slow: { Icon: Timer, colour: 'text-running' },
  new: { Icon: CirclePlus, colour: 'text-muted' },
  vanished: { Icon: CircleDashed, colour: 'text-idle' },
  healthy: { Icon: CircleCheck, colour: 'text-passed' },
};

/** The state of a test as icon, word and colour. */
export function StateMark({ test }: { test: Pick<TestSummary, 'state' | 'otherBranches'> }) {
  const { Icon, colour } = failsElsewhere(test)
    ? { Icon: GitBranch, colour: 'text-muted' }
    : looks[test.state];
  return (
    <span className={`inline-flex items-center gap-1.5 align-top whitespace-nowrap ${colour}`}>
      <Icon size={15} aria-hidden className="shrink-0" />
      <span>{stateText(test)}</span>
    </span>
  );
}
