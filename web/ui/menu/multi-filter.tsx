import { lazyPart } from '../page/lazy-part.tsx';
import { clip } from '../text/clip.ts';
import type { MultiContent } from './multi-popup.tsx';
import { PillText } from './pill-text.tsx';
import { pill } from './pill.ts';
import { PopupButton } from './popup-button.tsx';
import { beforeRemove, RemoveFilter } from './remove-filter.tsx';

const MultiPopup = lazyPart('multi-popup', 'MultiPopup', () => import('./multi-popup.tsx'));

/** A filter button whose popup has a field and choices of which any number can be chosen. */
export function MultiFilter({
  name,
  labelOf,
  onOpenChange,
  opensAtOnce,
  ...content
}: Omit<MultiContent, 'label'> & {
  name: string;
  /** The text of a chosen value on the button. */
  labelOf: (value: string) => string;
  onOpenChange?: (isOpen: boolean) => void;
  opensAtOnce?: boolean;
}) {
  const { chosen, onChoose } = content;
  const label = clip(chosen.map(labelOf).join(', '), 60);
  const isSet = chosen.length > 0;
  // The popup stays the same element, so that its button keeps the focus.
  return (
    <span className="inline-flex max-w-full">
      <PopupButton
        kind="dialog"
        Popup={MultiPopup}
        content={{ label: name, ...content }}
        className={isSet ? `${pill.set} ${beforeRemove}` : pill.open}
        onOpenChange={onOpenChange}
        opensAtOnce={opensAtOnce}
      >
        <PillText name={name} value={isSet ? label : undefined} />
      </PopupButton>
      {isSet && <RemoveFilter name={name} label={label} onRemove={() => onChoose([])} />}
    </span>
  );
}
