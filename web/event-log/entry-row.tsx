import ChevronRight from 'lucide-react/icons/chevron-right';
import CircleAlert from 'lucide-react/icons/circle-alert';
import Info from 'lucide-react/icons/info';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import { useId, useState } from 'react';
import type { LogEntry } from '#contract/event-log.ts';
import { Button } from '../ui/button.tsx';
import { exactTime, TimeAgo } from '../ui/time.tsx';

const marks = {
  info: { Icon: Info, colour: 'text-muted', word: 'Information' },
  warning: { Icon: TriangleAlert, colour: 'text-running', word: 'Warning' },
  error: { Icon: CircleAlert, colour: 'text-failed', word: 'Error' },
} as const;

/** One entry; opening it shows what else is known, and counts as reading it. */
export function EntryRow({ entry, onMark }: { entry: LogEntry; onMark: (read: boolean) => void }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const { Icon, colour, word } = marks[entry.severity];
  const toggle = (): void => {
    if (!isOpen && !entry.read) onMark(true);
    setOpen(!isOpen);
  };
  return (
    <li className="border-b border-line">
      <button
        type="button"
        data-log-row
        aria-expanded={isOpen}
        aria-controls={id}
        className="flex w-full items-start gap-2.5 px-4 py-2 text-left hover:bg-hover focus-visible:bg-selected"
        onClick={toggle}
      >
        <span className="mt-1.5 size-2 shrink-0">
          {!entry.read && (
            <span className="block size-2 rounded-full bg-accent">
              <span className="sr-only">Unread. </span>
            </span>
          )}
        </span>
        <Icon size={15} className={`mt-0.5 shrink-0 ${colour}`} aria-hidden />
        <span className="min-w-0 grow">
          <span className="sr-only">{word}: </span>
          <bdi className={`break-words ${entry.read ? '' : 'font-semibold'}`}>{entry.title}</bdi>
          <span className="block text-xs text-muted">
            <bdi>{entry.actor === null ? 'Forgewatch' : (entry.actor.name ?? 'Somebody who is gone')}</bdi>
          </span>
        </span>
        <span className="shrink-0 text-muted">
          <TimeAgo time={entry.at} />
        </span>
        <ChevronRight
          size={15}
          aria-hidden
          className={`mt-0.5 shrink-0 text-faint ${isOpen ? 'rotate-90' : ''}`}
        />
      </button>
      <div id={id} hidden={!isOpen} className="px-4 pb-3 pl-[3.75rem]">
        {isOpen && <EntryDetail entry={entry} onMark={onMark} />}
      </div>
    </li>
  );
}

function EntryDetail({ entry, onMark }: { entry: LogEntry; onMark: (read: boolean) => void }) {
  const facts = Object.entries(entry.details).filter(([, value]) => value !== null);
  return (
    <>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1">
        <Fact name="When" value={exactTime(entry.at)} />
        <Fact name="What" value={entry.type} />
        {facts.map(([name, value]) => (
          <Fact key={name} name={wordsOf(name)} value={textOf(value)} />
        ))}
      </dl>
      {entry.read && (
        <Button className="mt-2" onClick={() => onMark(false)}>
          Mark as unread
        </Button>
      )}
    </>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="break-words">
        <bdi>{value}</bdi>
      </dd>
    </>
  );
}

/** `previousRole` becomes "Previous role". */
function wordsOf(name: string): string {
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const isoTime = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

function textOf(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return isoTime.test(value) ? exactTime(value) : value;
}
