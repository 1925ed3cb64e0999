import type { LogColour, LogSpan } from '#contract/failures/failure-reason.ts';

const colours: Record<LogColour, string> = {
  red: 'text-failed',
  green: 'text-passed',
  yellow: 'text-running',
  blue: 'text-accent',
  magenta: 'text-waiting',
  cyan: 'text-accent',
  grey: 'text-faint',
};

/** A line that reports an error. Forced colours have no backgrounds. */
export const errorLine =
  'bg-selected forced-colors:outline-1 forced-colors:-outline-offset-1 forced-colors:outline-dashed';

/** A line in its colours, with the parts that were searched for. */
export function LineText({ spans }: { spans: readonly (LogSpan & { isFound?: boolean })[] }) {
  if (spans.length === 0) return '\u00A0';
  return spans.map(({ text, colour, bold, isFound }, index) => {
    const Tag = isFound ? 'mark' : 'span';
    const look = isFound ? 'bg-match text-text' : colour ? colours[colour] : '';
    return (
      // oxlint-disable-next-line react/no-array-index-key -- spans never move
      <Tag key={index} className={`${look} ${bold ? 'font-semibold' : ''}`}>
        {text}
      </Tag>
    );
  });
}
