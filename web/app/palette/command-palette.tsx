/* oxlint-disable jsx-a11y/prefer-tag-over-role -- the list of a field that one types into has no element of its own */
import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { menuTarget } from '../../ui/menu/menu-keys.ts';
import { matchingCommands, type Command } from './commands.ts';
import { useCommands } from './use-commands.ts';

const arrows = ['ArrowDown', 'ArrowUp'];

/** Runs a command by its name. */
export function CommandPalette({ onClose }: { onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState<string>();
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const commands = matchingCommands(useCommands(typed), typed);
  // By key, because more commands may be inserted while workflows and views load.
  const at = Math.max(
    0,
    commands.findIndex(({ key }) => key === chosen),
  );
  const current = commands[at];
  const run = (command: Command | undefined): void => {
    if (command === undefined) return;
    onClose();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') {
      event.preventDefault();
      run(current);
    } else if (arrows.includes(event.key)) {
      event.preventDefault();
      const labels = commands.map(({ label }) => label);
      setChosen(commands[menuTarget(event.key, labels, at) ?? 0]?.key);
    }
  };
  const optionId = (command: Command | undefined): string | undefined =>
    command && `${id}-${commands.indexOf(command)}`;
  return (
    <BaseDialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="fixed inset-0 z-40 bg-black/35" />
        <BaseDialog.Popup
          initialFocus={field}
          className="fixed top-[12dvh] left-1/2 z-50 flex max-h-[70dvh] w-[min(36rem,calc(100vw-2rem))] -translate-x-1/2 flex-col overflow-hidden rounded-xl border border-line-strong bg-raised shadow-float outline-hidden"
        >
          <BaseDialog.Title className="sr-only">Command</BaseDialog.Title>
          <input
            ref={field}
            role="combobox"
            aria-label="Command"
            aria-expanded
            aria-autocomplete="list"
            aria-controls={`${id}-list`}
            aria-activedescendant={optionId(current)}
            placeholder="Type a command, a workflow or a run…"
            autoComplete="off"
            spellCheck={false}
            className="h-12 shrink-0 border-b border-line bg-transparent px-4 text-lg outline-hidden"
            value={typed}
            onChange={({ target }) => {
              setTyped(target.value);
              setChosen(undefined);
            }}
            onKeyDown={onKeyDown}
          />
          <div
            id={`${id}-list`}
            role="listbox"
            aria-label="Commands"
            className="min-h-0 overflow-y-auto p-1.5"
          >
            {commands.map((command) => (
              <Option
                key={command.key}
                id={optionId(command)!}
                command={command}
                isChosen={command === current}
                onRun={() => run(command)}
              />
            ))}
          </div>
          {commands.length === 0 && <p className="px-4 pb-4 text-muted">No matching commands.</p>}
          <output className="sr-only">{commands.length} commands</output>
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

function Option({
  id,
  command: { label, kind, keys },
  isChosen,
  onRun,
}: {
  id: string;
  command: Command;
  isChosen: boolean;
  onRun: () => void;
}) {
  const option = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isChosen) option.current?.scrollIntoView({ block: 'nearest' });
  }, [isChosen]);
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the field has the keys and the focus
    <div
      ref={option}
      id={id}
      role="option"
      aria-selected={isChosen}
      className="flex cursor-pointer items-center gap-3 rounded-md px-2.5 py-1.5 hover:bg-hover aria-selected:bg-selected pointer-coarse:py-2.5"
      onClick={onRun}
    >
      <bdi className="min-w-0 truncate">{label}</bdi>
      {kind && <span className="text-muted">{kind}</span>}
      {keys && (
        <kbd className="ml-auto rounded border border-line-strong px-1.5 font-mono text-2xs text-muted">
          {keys}
        </kbd>
      )}
    </div>
  );
}
