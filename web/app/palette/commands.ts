import type { ReactNode } from 'react';

/** One command of the palette. */
export interface Command {
  key: string;
  label: string;
  icon?: ReactNode;
  /** The equivalent keyboard shortcut. */
  keys?: string;
  /** The kind of object, shown after the label. */
  kind?: string;
  /** The server found it for the typed text, which its label need not contain. */
  isFound?: boolean;
  run: () => void;
}

export interface CommandGroup {
  label: string;
  items: readonly Command[];
}

const shownAtMost = 50;

/** The commands whose label or kind contains every typed word. Labels that start with the text come first. */
export function matchingCommands(commands: readonly Command[], typed: string): readonly Command[] {
  const text = typed.trim().toLowerCase();
  if (text === '') return commands.slice(0, shownAtMost);
  const words = text.split(/\s+/);
  const matches = commands.filter(({ label, kind = '', isFound }) => {
    if (isFound) return true;
    const searched = `${label} ${kind}`.toLowerCase();
    return words.every((word) => searched.includes(word));
  });
  const begins = ({ label }: Command): boolean => label.toLowerCase().startsWith(text);
  return [...matches.filter(begins), ...matches.filter((one) => !begins(one))].slice(0, shownAtMost);
}
