import type { LogExcerpt, LogLine } from '#contract/failures/failure-reason.ts';
import { CopyButton } from '../ui/text/copy-text.tsx';
import { OutsideLink } from '../ui/text/text-link.tsx';
import { errorLine, LineText } from './line-text.tsx';

const textOf = ({ spans }: LogLine): string => spans.map(({ text }) => text).join('');

/** Lines of a log with their numbers and colours. */
export function Excerpt({
  excerpt,
  label,
  url,
}: {
  excerpt: LogExcerpt;
  /** The accessible name of the scrolling box. */
  label: string;
  /** The lines at the forge. */
  url: string | undefined;
}) {
  const { firstLine, lines, step } = excerpt;
  return (
    <figure className="overflow-hidden rounded-md border border-line bg-canvas">
      <figcaption className="flex min-h-8 items-center gap-2 border-b border-line pr-1 pl-3 text-xs text-muted">
        <span className="min-w-0 grow truncate">
          {step && <bdi>{step.name}: </bdi>}
          {lines.length === 1 ? `line ${firstLine}` : `lines ${firstLine} to ${firstLine + lines.length - 1}`}
        </span>
        {url && (
          <OutsideLink href={url} about={`of ${label}`} className="shrink-0">
            Lines at the forge
          </OutsideLink>
        )}
        <CopyButton name="the excerpt" text={lines.map(textOf).join('\n')} />
      </figcaption>
      {/* Focusable, so that it scrolls by keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling box needs it */}
      <section aria-label={label} tabIndex={0} className="max-h-96 overflow-auto py-1 -outline-offset-2">
        <ol className="w-max min-w-full font-mono text-xs leading-5">
          {lines.map((line, index) => (
            <li
              // Lines never move.
              // oxlint-disable-next-line react/no-array-index-key
              key={index}
              className={`flex gap-3 px-3 ${line.isError ? errorLine : ''}`}
            >
              <span aria-hidden className="w-8 shrink-0 text-right text-faint select-none">
                {firstLine + index}
              </span>
              <span className="whitespace-pre">
                <LineText spans={line.spans} />
              </span>
            </li>
          ))}
        </ol>
      </section>
    </figure>
  );
}
