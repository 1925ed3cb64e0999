import X from 'lucide-react/icons/x';
import Link2 from 'lucide-react/icons/link-2';
import { useEffect, useRef } from 'react';
import type { LogEntry } from '#contract/deliveries/event-log.ts';
import { IconButton, Button } from '../../ui/button.tsx';
import { Loaded, type Reading } from '../../ui/page/loaded.tsx';
import { copyText } from '../../ui/text/copy-text.tsx';
import { Fact } from '../../ui/text/fact.tsx';
import { exactTime } from '../../ui/time/exact-time.ts';
import { toast } from '../../ui/dialog/toast.ts';
import { useShortcuts } from '../../ui/keyboard/use-shortcuts.ts';
import { RelatedPage } from '../related-page.tsx';
import { paneId } from './use-entry-keys.ts';
import { factName, factText } from './fact-text.ts';
import { nameOf } from './entry-row.tsx';
import { SeverityIcon, severities } from './severity.tsx';

/** The open entry, beside the list or in place of it on narrow screens. */
export function EntryPane({
  integrationId,
  openId,
  reading,
  onMark,
  onClose,
}: {
  integrationId: string;
  openId: string;
  reading: Reading<LogEntry>;
  onMark: (read: boolean) => void;
  onClose: () => void;
}) {
  return (
    <section
      id={paneId}
      tabIndex={-1}
      aria-label="Entry"
      className="relative min-w-0 grow overflow-y-auto outline-none"
    >
      <IconButton
        label="Close"
        title="Close (Esc)"
        className="absolute top-3 right-3 max-lg:hidden"
        onClick={onClose}
      >
        <X size={16} aria-hidden />
      </IconButton>
      <div className={reading.data === undefined ? 'lg:pr-12' : ''}>
        <Loaded reading={reading} what="entry" skeletonRows={4}>
          {(entry) => (
            <EntryDetail key={openId} integrationId={integrationId} entry={entry} onMark={onMark} />
          )}
        </Loaded>
      </div>
    </section>
  );
}

/** The details of an entry. Opening it marks it as read. */
function EntryDetail({
  integrationId,
  entry,
  onMark,
}: {
  integrationId: string;
  entry: LogEntry;
  onMark: (read: boolean) => void;
}) {
  const isToMark = useRef(!entry.read);
  useEffect(() => {
    if (isToMark.current) onMark(true);
    isToMark.current = false;
  }, [onMark]);
  useShortcuts({ u: () => onMark(false) });
  const details = Object.entries(entry.details).filter(([, value]) => value !== null);
  const facts = [
    ['Time', exactTime(entry.at)],
    ['Actor', nameOf(entry.actor)],
    ['Type', entry.type],
    ['Severity', severities[entry.severity].word],
    ...details.map(([name, value]) => [factName(name), factText(value)]),
  ] as [string, string][];
  return (
    <div className="flex flex-col gap-4 p-4 lg:p-5">
      <div className="flex items-start gap-2.5 lg:pr-9">
        <SeverityIcon severity={entry.severity} className="mt-1" />
        <h2 className="min-w-0 text-lg font-semibold break-words">
          <bdi>{entry.title}</bdi>
        </h2>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button
          aria-keyshortcuts="u"
          title="Mark as unread (u)"
          disabled={!entry.read}
          onClick={() => onMark(false)}
        >
          Mark as unread
        </Button>
        <Button onClick={() => void copyLink()}>
          <Link2 size={15} aria-hidden />
          Copy link
        </Button>
        <RelatedPage integrationId={integrationId} entry={entry} />
      </div>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1.5">
        {facts.map(([name, value]) => (
          <Fact key={name} name={name} className="break-words">
            <bdi>{value}</bdi>
          </Fact>
        ))}
      </dl>
    </div>
  );
}

/** The address identifies the open entry. */
async function copyLink(): Promise<void> {
  const result = await copyText(location.href);
  toast(result === 'copied' ? 'Link copied' : 'The link could not be copied');
}
