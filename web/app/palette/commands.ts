/** One line of the command palette. */
export interface Command {
  key: string;
  label: string;
  /** Keys that do the same. */
  keys?: string;
  /** The kind of thing, read after the label. */
  kind?: string;
  run: () => void;
}

const shownAtMost = 50;

/** Those whose label or kind has every word that was typed, in the order given; labels that begin with it first. */
export function matchingCommands(commands: readonly Command[], typed: string): readonly Command[] {
  const text = typed.trim().toLowerCase();
  if (text === '') return commands.slice(0, shownAtMost);
  const words = text.split(/\s+/);
  const matches = commands.filter(({ label, kind = '' }) => {
    const searched = `${label} ${kind}`.toLowerCase();
    return words.every((word) => searched.includes(word));
  });
  const begins = ({ label }: Command): boolean => label.toLowerCase().startsWith(text);
  return [...matches.filter(begins), ...matches.filter((one) => !begins(one))].slice(0, shownAtMost);
}
