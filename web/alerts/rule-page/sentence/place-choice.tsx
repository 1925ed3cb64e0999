import ChevronDown from 'lucide-react/icons/chevron-down';
import type { Choice } from '../../../ui/menu/menu-popup.tsx';
import { lazyPart } from '../../../ui/page/lazy-part.tsx';
import { PopupButton } from '../../../ui/menu/popup-button.tsx';
import { clip } from '../../../ui/text/clip.ts';
import { isWhole } from './sentence-choices.ts';

const MultiPopup = lazyPart('multi-popup', 'MultiPopup', () => import('../../../ui/menu/multi-popup.tsx'));

/** A choice within the sentence, with a field that filters and takes patterns. */
export function PlaceChoice({
  name,
  text,
  choices,
  chosen,
  onChoose,
}: {
  name: string;
  /** What is chosen, as a part of the sentence. */
  text: string;
  choices: readonly Choice[];
  chosen: readonly string[];
  onChoose: (values: string[]) => void;
}) {
  return (
    <PopupButton
      kind="dialog"
      Popup={MultiPopup}
      content={{
        label: name,
        choices,
        chosen,
        takesOthers: true,
        note: 'Patterns such as release/* count too.',
        closesAfter: isWhole,
        onChoose,
      }}
      className="inline-flex max-w-full items-center gap-1 rounded-md border border-line-strong bg-surface px-2 py-0.5 text-lg font-semibold hover:bg-hover"
    >
      <span className="sr-only">{name}: </span>
      <bdi className="truncate">{clip(text, 60)}</bdi>
      <ChevronDown size={15} aria-hidden className="shrink-0 text-muted" />
    </PopupButton>
  );
}
