import type { LucideIcon } from 'lucide-react';

export interface Mark {
  word: string;
  /** A class. */
  colour: string;
  Icon: LucideIcon;
}

/** A state as icon, word and colour. */
export function WordMark({ mark: { word, colour, Icon } }: { mark: Mark }) {
  return (
    <span className={`inline-flex items-center gap-1.5 align-top whitespace-nowrap ${colour}`}>
      <Icon size={15} aria-hidden className="shrink-0" />
      {word}
    </span>
  );
}
