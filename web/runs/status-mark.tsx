import Ban from 'lucide-react/icons/ban';
import CircleAlert from 'lucide-react/icons/circle-alert';
import CircleCheck from 'lucide-react/icons/circle-check';
import CircleDashed from 'lucide-react/icons/circle-dashed';
import CircleDot from 'lucide-react/icons/circle-dot';
import CircleX from 'lucide-react/icons/circle-x';
import FileX from 'lucide-react/icons/file-x';
import Hourglass from 'lucide-react/icons/hourglass';
import LoaderCircle from 'lucide-react/icons/loader-circle';
import SkipForward from 'lucide-react/icons/skip-forward';
import TimerOff from 'lucide-react/icons/timer-off';
import { statusOf, type StatusName, type Tone } from './run-status.ts';

const icons: Record<StatusName, typeof Ban> = {
  requested: CircleDashed,
  queued: CircleDashed,
  pending: CircleDashed,
  waiting: Hourglass,
  in_progress: LoaderCircle,
  success: CircleCheck,
  failure: CircleX,
  timed_out: TimerOff,
  startup_failure: FileX,
  cancelled: Ban,
  skipped: SkipForward,
  action_required: CircleAlert,
  neutral: CircleDot,
  stale: CircleDot,
  superseded: Ban,
  completed: CircleDot,
  unknown: CircleDot,
};

const colours: Record<Tone, string> = {
  idle: 'text-idle',
  running: 'text-running',
  waiting: 'text-waiting',
  passed: 'text-passed',
  failed: 'text-failed',
};

interface Facts {
  status: string;
  conclusion: string | null;
  supersededBy?: number | null;
}

/** Status as icon, word and colour. */
export function StatusMark(facts: Facts) {
  const { word, tone } = statusOf(facts);
  return (
    <span className={`inline-flex items-center gap-1.5 align-top whitespace-nowrap ${colours[tone]}`}>
      <StatusIcon {...facts} isMoving />
      <span>{word}</span>
    </span>
  );
}

/** Decorative: the word must be beside it. */
export function StatusIcon({ isMoving = false, ...facts }: Facts & { isMoving?: boolean }) {
  const { name, tone } = statusOf(facts);
  const Icon = icons[name];
  const motion = isMoving && name === 'in_progress' ? 'motion-safe:animate-[spin_1.6s_linear_infinite]' : '';
  return <Icon size={15} aria-hidden className={`shrink-0 ${colours[tone]} ${motion}`} />;
}
