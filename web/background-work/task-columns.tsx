import CalendarClock from 'lucide-react/icons/calendar-clock';
import CircleDashed from 'lucide-react/icons/circle-dashed';
import CircleX from 'lucide-react/icons/circle-x';
import LoaderCircle from 'lucide-react/icons/loader-circle';
import type { BackgroundTask, TaskFilter } from '#contract/integrations/tasks.ts';
import { Button } from '../ui/button.tsx';
import { formatCount } from '../ui/locale.ts';
import { actionsColumn, type Column } from '../ui/table/table.tsx';
import { WordMark, type Mark } from '../ui/text/word-mark.tsx';
import { PlannedTime } from '../ui/time/planned-time.tsx';
import { TimeAgo } from '../ui/time/time.tsx';

export const marks: Record<TaskFilter, Mark> = {
  failing: { word: 'Failing', colour: 'text-failed', Icon: CircleX },
  running: { word: 'Running', colour: 'text-running', Icon: LoaderCircle },
  waiting: { word: 'Waiting', colour: 'text-waiting', Icon: CircleDashed },
  scheduled: { word: 'Scheduled', colour: 'text-idle', Icon: CalendarClock },
};

interface Actions {
  isRetrying: boolean;
  onRetry: (task: BackgroundTask) => void;
  onDrop: (task: BackgroundTask) => void;
}

export function taskColumns(actions: Actions): Column<BackgroundTask>[] {
  return [
    {
      key: 'task',
      header: 'Task',
      renderCell: ({ title, subject }) => (
        <span>
          <span className="block font-medium">{title}</span>
          {subject !== null && <bdi className="block text-xs text-muted wrap-anywhere">{subject}</bdi>}
        </span>
      ),
    },
    {
      key: 'state',
      header: 'State',
      renderCell: (task) => <State task={task} />,
    },
    {
      key: 'cause',
      header: 'Last error',
      className: 'columns:w-2/5',
      renderCell: ({ error, failures }) => <Cause error={error} failures={failures} />,
    },
    {
      key: 'next',
      header: 'Next try',
      className: 'text-muted',
      renderCell: (task) => <NextTry task={task} />,
    },
    { ...actionsColumn, renderCell: (task) => <TaskActions {...actions} task={task} /> },
  ];
}

function State({ task: { state, failures, since } }: { task: BackgroundTask }) {
  return (
    <span>
      <WordMark mark={marks[failures > 0 && state !== 'running' ? 'failing' : state]} />
      {since !== null && (
        <span className="block text-xs text-muted">
          {failures > 0 ? 'first failed ' : 'due '}
          <TimeAgo time={since} isFocusable />
        </span>
      )}
    </span>
  );
}

function Cause({ error, failures }: Pick<BackgroundTask, 'error' | 'failures'>) {
  if (error === null && failures === 0) return null;
  return (
    <span className="block max-w-2xl">
      {error !== null && <bdi className="block wrap-anywhere">{error}</bdi>}
      {failures > 0 && (
        <span className="block text-xs text-muted">{formatCount(failures, 'failed attempt')} in a row</span>
      )}
    </span>
  );
}

function NextTry({ task: { state, nextAt } }: { task: BackgroundTask }) {
  if (state === 'running') return 'Runs now';
  if (state === 'waiting') return 'When a place is free';
  if (nextAt === null) return 'Not planned';
  return (
    <>
      <span className="columns:hidden">next try </span>
      <PlannedTime time={nextAt} />
    </>
  );
}

const reasons = {
  running: 'The task runs at the moment',
  waiting: 'The task is due already',
  scheduled: undefined,
} as const;

function TaskActions({ isRetrying, onRetry, onDrop, task }: Actions & { task: BackgroundTask }) {
  const { state, failures, title, subject, dropNote } = task;
  const verb = failures > 0 ? 'Retry' : 'Run now';
  const name = subject === null ? title : `${title}: ${subject}`;
  return (
    <span className="inline-flex gap-1">
      <Button
        reason={reasons[state]}
        disabled={isRetrying}
        aria-label={`${verb}: ${name}`}
        onClick={() => onRetry(task)}
      >
        {verb}
      </Button>
      {dropNote !== null && (
        <Button
          reason={state === 'running' ? reasons.running : undefined}
          aria-label={`Drop: ${name}`}
          onClick={() => onDrop(task)}
        >
          Drop…
        </Button>
      )}
    </span>
  );
}
