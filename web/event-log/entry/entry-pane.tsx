import X from 'lucide-react/icons/x';
import type { LogEntry } from '#contract/deliveries/event-log.ts';
import { IconButton } from '../../ui/button.tsx';
import { Loaded, type Reading } from '../../ui/page/loaded.tsx';
import { EntryDetail } from './entry-detail.tsx';
import { paneId } from './use-entry-keys.ts';

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
