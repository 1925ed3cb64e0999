import { Combobox } from '@base-ui/react/combobox';
import Check from 'lucide-react/icons/check';
import { useMemo, useState, type ReactNode } from 'react';
import type { Choice } from './menu-popup.tsx';
import type { PopupPlace } from './popup-button.tsx';

export interface MultiContent {
  /** The accessible name of field and list. */
  label: string;
  choices: readonly Choice[];
  chosen: readonly string[];
  /** Whether a typed text that is no choice can be chosen. */
  takesOthers?: boolean;
  note?: ReactNode;
  /** Whether the popup closes after this value was chosen. */
  closesAfter?: (value: string) => boolean;
  onChoose: (values: string[]) => void;
}

/** More would be slow to show. Typing finds the others. */
const shownAtMost = 100;

/** An open popup: typing narrows the choices, Enter and clicks choose or unchoose. */
export function MultiPopup({
  button,
  place,
  onClose,
  label,
  choices,
  chosen,
  takesOthers = false,
  note,
  closesAfter = () => false,
  onChoose,
}: MultiContent & PopupPlace) {
  const [typed, setTyped] = useState('');
  const byValue = useMemo(() => new Map(choices.map((choice) => [choice.value, choice])), [choices]);
  const labelOf = (value: string): string => byValue.get(value)?.label ?? value;
  const items = matching(choices, typed.trim(), takesOthers);
  return (
    <Combobox.Root<string, true>
      multiple
      open
      modal={false}
      items={items}
      filter={null}
      autoHighlight
      itemToStringLabel={labelOf}
      inputValue={typed}
      onInputValueChange={(text, { reason }) => reason !== 'item-press' && setTyped(text)}
      value={[...chosen]}
      onValueChange={(values) => {
        onChoose(values);
        if (values.some((value) => closesAfter(value) && !chosen.includes(value))) onClose();
      }}
      onOpenChange={(isOpen, { reason, event }) => {
        // The click on the button closes the popup.
        const isOnButton = event.target instanceof Node && button.current?.contains(event.target);
        if (!isOpen && reason !== 'item-press' && isOnButton !== true) onClose();
      }}
    >
      <Combobox.Portal container={place}>
        <Combobox.Positioner
          anchor={button}
          positionMethod="fixed"
          align="start"
          sideOffset={5}
          collisionPadding={8}
          className="z-60"
        >
          <Content label={label} choices={byValue} note={note} onClose={onClose} />
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}

function Content({
  label,
  choices,
  note,
  onClose,
}: Pick<MultiContent, 'label' | 'note'> & {
  choices: ReadonlyMap<string, Choice>;
  onClose: () => void;
}) {
  return (
    <Combobox.Popup
      aria-label={label}
      finalFocus={false}
      onKeyDown={({ key }) => key === 'Tab' && onClose()}
      className="flex max-h-[min(24rem,var(--available-height))] w-[min(20rem,var(--available-width))] flex-col rounded-lg border border-line-strong bg-raised text-start shadow-float outline-hidden"
    >
      <Combobox.Input
        aria-label={`Find ${label.toLowerCase()}`}
        placeholder={`Find ${label.toLowerCase()}…`}
        spellCheck={false}
        maxLength={255}
        className="h-9 shrink-0 border-b border-line bg-transparent px-3 outline-hidden pointer-coarse:h-11 pointer-coarse:text-lg"
      />
      <Combobox.List aria-label={label} className="min-h-0 overflow-y-auto p-1 empty:hidden">
        {(value: string) => <Item key={value} value={value} choice={choices.get(value)} />}
      </Combobox.List>
      {note && <p className="border-t border-line px-3 py-1.5 text-xs text-muted">{note}</p>}
    </Combobox.Popup>
  );
}

function matching(choices: readonly Choice[], typed: string, takesOthers: boolean): string[] {
  const text = typed.toLowerCase();
  const found = choices.filter(({ label }) => label.toLowerCase().includes(text)).slice(0, shownAtMost);
  const values = found.map(({ value }) => value);
  const isNew = takesOthers && typed !== '' && !choices.some(({ value }) => value === typed);
  return isNew ? [...values, typed] : values;
}

function Item({ value, choice }: { value: string; choice: Choice | undefined }) {
  return (
    <Combobox.Item
      value={value}
      className="flex cursor-pointer items-center gap-2 rounded-md px-2 py-1 data-highlighted:bg-hover pointer-coarse:py-2"
    >
      <span className="flex size-4 shrink-0 items-center justify-center rounded border border-line-strong">
        <Combobox.ItemIndicator render={<Check size={12} aria-hidden />} />
      </span>
      {choice?.icon}
      {choice ? <bdi className="min-w-0 truncate">{choice.label}</bdi> : <Other value={value} />}
      {choice?.end}
    </Combobox.Item>
  );
}

function Other({ value }: { value: string }) {
  return (
    <span className="min-w-0 truncate">
      Use “<bdi>{value}</bdi>”
    </span>
  );
}
