import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import type { BaseUIEvent } from '@base-ui/react/types';
import { useRef, useState, type KeyboardEvent } from 'react';
import { matchingCommands, type Command, type CommandGroup } from './commands.ts';
import { useCommands } from './use-commands.ts';
import { formatCount } from '../../ui/locale.ts';
import { useFoundRuns } from './use-found-runs.tsx';

/** Runs a command by its name, or opens a run. Runs arrive late and come last, so that they move nothing. */
export function CommandPalette({ onClose }: { onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const commands = matchingCommands(useCommands(typed), typed);
  const { groups: runs, isSearching } = useFoundRuns(typed);
  const groups = [...(commands.length === 0 ? [] : [{ label: 'Commands', items: commands }]), ...runs];
  const onRun = (command: Command): void => {
    onClose();
    command.run();
  };
  const early = useEarlyEnter(groups, onRun);
  const foundRuns = runs.reduce((sum, { items }) => sum + items.length, 0);
  return (
    <BaseDialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="fixed inset-0 z-40 bg-black/35" />
        <BaseDialog.Popup
          initialFocus={field}
          className="fixed top-[12dvh] left-1/2 z-50 flex max-h-[70dvh] w-[min(36rem,calc(100vw-2rem))] -translate-x-1/2 flex-col overflow-hidden rounded-xl border border-line-strong bg-raised shadow-float outline-hidden"
        >
          <BaseDialog.Title className="sr-only">Command</BaseDialog.Title>
          <Autocomplete.Root
            open
            inline
            items={groups}
            filter={null}
            itemToStringValue={({ label }: Command) => label}
            autoHighlight="always"
            keepHighlight
            value={typed}
            onValueChange={(text, { reason }) => reason !== 'item-press' && setTyped(text)}
            onItemHighlighted={early.onItemHighlighted}
          >
            <Autocomplete.Input
              ref={field}
              aria-label="Command"
              placeholder="Find a run or a pull request, or type a command…"
              spellCheck={false}
              onKeyDown={early.onKeyDown}
              className="h-12 shrink-0 border-b border-line bg-transparent px-4 text-lg outline-hidden"
            />
            <Found hasRuns={runs.length > 0} onRun={onRun} />
            <Autocomplete.Empty className="text-muted not-empty:p-4">
              {isSearching ? 'Searching…' : 'No matching commands or runs.'}
            </Autocomplete.Empty>
            <Autocomplete.Status className="sr-only">
              {isSearching
                ? 'Searching…'
                : `${formatCount(commands.length, 'command')}, ${formatCount(foundRuns, 'run')}`}
            </Autocomplete.Status>
          </Autocomplete.Root>
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

/** The highlight follows the list a moment later than the text. Enter right after typing runs the first command. */
function useEarlyEnter(groups: readonly CommandGroup[], onRun: (command: Command) => void) {
  const highlighted = useRef<string | undefined>(undefined);
  return {
    onItemHighlighted: (command: Command | undefined): void => {
      highlighted.current = command?.key;
    },
    onKeyDown: (event: BaseUIEvent<KeyboardEvent<HTMLInputElement>>): void => {
      if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
      const shown = groups.flatMap(({ items }) => items);
      const [first] = shown;
      if (first === undefined || shown.some(({ key }) => key === highlighted.current)) return;
      event.preventBaseUIHandler();
      event.preventDefault();
      onRun(first);
    },
  };
}

/** The groups of commands and runs. */
function Found({ hasRuns, onRun }: { hasRuns: boolean; onRun: (command: Command) => void }) {
  return (
    <Autocomplete.List aria-label="Commands" className="min-h-0 overflow-y-auto p-1.5 empty:hidden">
      {(group: CommandGroup) => (
        <Autocomplete.Group key={group.label} items={group.items} className="not-first:mt-1.5">
          <Autocomplete.GroupLabel className={hasRuns ? 'px-2.5 py-1 text-xs text-muted' : 'sr-only'}>
            {group.label}
          </Autocomplete.GroupLabel>
          <Autocomplete.Collection>
            {(command: Command) => (
              <Option key={command.key} command={command} onRun={() => onRun(command)} />
            )}
          </Autocomplete.Collection>
        </Autocomplete.Group>
      )}
    </Autocomplete.List>
  );
}

function Option({ command, onRun }: { command: Command; onRun: () => void }) {
  const { label, icon, kind, keys } = command;
  return (
    <Autocomplete.Item
      value={command}
      className="flex cursor-pointer items-center gap-3 rounded-md px-2.5 py-1.5 data-highlighted:bg-selected pointer-coarse:py-2.5"
      onClick={onRun}
    >
      {icon}
      <bdi className="min-w-0 truncate">{label}</bdi>
      {kind && <bdi className="max-w-[50%] shrink-0 truncate text-muted">{kind}</bdi>}
      {keys && (
        <kbd className="ml-auto rounded border border-line-strong px-1.5 font-mono text-2xs text-muted">
          {keys}
        </kbd>
      )}
    </Autocomplete.Item>
  );
}
