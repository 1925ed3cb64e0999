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

/** Status by icon and word and colour; `isStill` where it names a status instead of telling one. */
export function StatusMark({
  status,
  conclusion,
  isStill = false,
}: {
  status: string;
  conclusion: string | null;
  isStill?: boolean;
}) {
  const { name, word, tone } = statusOf({ status, conclusion });
  const Icon = icons[name];
  const motion = name === 'in_progress' && !isStill ? 'motion-safe:animate-[spin_1.6s_linear_infinite]' : '';
  return (
    <span className={`inline-flex items-center gap-1.5 whitespace-nowrap ${colours[tone]}`}>
      <Icon size={15} aria-hidden className={`shrink-0 ${motion}`} />
      <span>{word}</span>
    </span>
  );
}
