import { Dialog } from '../../ui/dialog/dialog.tsx';
import { pages } from './pages.ts';

const shortcuts = [
  ['/', 'Search'],
  ['j', 'Next row'],
  ['k', 'Previous row'],
  ['Enter', 'Open the row'],
  ['Esc', 'Close, or leave the row'],
  ['a', 'Acknowledge the incident, or take that back'],
  ['m', 'Assign the incident to me, or to nobody'],
  ['r', 'Re-run the failed jobs of the row'],
  ['n', 'Next match in a log (p: the previous one)'],
  ['e', 'Next error in a log (E: the previous one)'],
  ['w', 'Wrap long lines of a log'],
  ['u', 'Mark the open entry of the event log as unread'],
  ['Ctrl K', 'Command palette (⌘K on a Mac)'],
  ['?', 'Keyboard shortcuts'],
  ['g h', 'Home'],
  ...pages.map(({ letter, label }) => [`g ${letter}`, label] as const),
] as const;

export function ShortcutList({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-6 gap-y-2">
        {shortcuts.map(([key, action]) => (
          <div key={key} className="contents">
            <dt>
              <kbd className="inline-block min-w-7 rounded-md border border-line-strong bg-hover px-1.5 py-0.5 text-center font-mono text-xs">
                {key}
              </kbd>
            </dt>
            <dd>{action}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
