import { failedConclusions } from '#contract/runs/conclusions.ts';
import { hiddenCharacters, visibleText } from '#contract/base/plain-text.ts';
import { storableText } from '#platform/database/rows/storable-text.ts';

type Colour = 'red' | 'green' | 'yellow' | 'blue' | 'grey';

const codes: Record<Colour, number> = { red: 31, green: 32, yellow: 33, blue: 34, grey: 90 };

/** Where a command writes its result. Colours only on a terminal, and not with NO_COLOR (https://no-color.org). */
export interface Terminal {
  isTty: boolean;
  line(text: string): void;
  /** Lines of a stranger, without hidden characters. */
  text(text: string): void;
  /** One line, in which hidden characters are escaped: a terminal obeys some that JSON allows. */
  json(value: unknown): void;
  paint(text: string, colour: Colour): string;
  /** Rows of cells in aligned columns, without hidden characters. */
  table(rows: readonly (readonly Cell[])[]): void;
}

export interface Cell {
  text: string;
  colour?: Colour | undefined;
}

const hidden = new RegExp(`[${hiddenCharacters}]`, 'g');
const hiddenInLines = new RegExp(`(?![\\n\\t])[${hiddenCharacters}]`, 'g');
const escaped = (sign: string): string => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;

export function makeTerminal(
  env: NodeJS.ProcessEnv,
  output: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stdout,
): Terminal {
  const isTty = output.isTTY === true;
  const hasColour = isTty && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  const paint: Terminal['paint'] = (text, colour) =>
    hasColour ? `\u001b[${codes[colour]}m${text}\u001b[0m` : text;
  const line = (text: string): void => void output.write(`${text}\n`);
  return {
    isTty,
    line,
    text: (text) => void output.write(text.replace(hiddenInLines, ' ')),
    json: (value) => line(JSON.stringify(value).replace(hidden, escaped)),
    paint,
    table: (given) => {
      // Also numbers and ids are text that a hostile server chose.
      const rows = given.map((row) => row.map((each) => ({ ...each, text: visibleText(String(each.text)) })));
      const widths: number[] = [];
      for (const row of rows)
        for (const [at, { text }] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, text.length);
      for (const row of rows) {
        const cells = row.map(({ text, colour }, at) => {
          const padded = at === row.length - 1 ? text : text.padEnd(widths[at] ?? 0);
          return colour === undefined ? padded : paint(padded, colour);
        });
        line(cells.join('  ').trimEnd());
      }
    },
  };
}

/** One line without control characters: names at a forge may contain escape sequences. */
export function cell(text: string | number | null | undefined, maxLength = 60): string {
  const visible = visibleText(String(text ?? ''));
  return visible.length > maxLength ? `${storableText(visible, maxLength - 1) ?? ''}…` : visible;
}

interface Outcome {
  status: string;
  conclusion: string | null;
}

const conclusionColours: ReadonlyMap<string, Colour> = new Map([
  ['success', 'green'],
  ...failedConclusions.map((conclusion) => [conclusion, 'red'] as const),
  ['action_required', 'yellow'],
]);

/** The conclusion of a run, job or step, or its status while it is not completed. */
export function outcomeCell({ status, conclusion }: Outcome): Cell {
  if (status !== 'completed')
    return { text: cell(status), colour: status === 'in_progress' ? 'yellow' : 'blue' };
  const word = conclusion ?? 'completed';
  return { text: cell(word), colour: conclusionColours.get(word) ?? 'grey' };
}

/** What fails a commit. */
export function isRed({ status, conclusion }: Outcome): boolean {
  return status === 'completed' && !['success', 'skipped', 'neutral'].includes(conclusion ?? '');
}

/** `1h 02m`, `3m 07s` or `12s`. */
export function duration(ms: number | null): string {
  if (ms === null) return '';
  const seconds = Math.round(ms / 1000);
  const two = (value: number): string => String(value).padStart(2, '0');
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${two(seconds % 60)}s`;
  return `${Math.floor(seconds / 3600)}h ${two(Math.floor(seconds / 60) % 60)}m`;
}
