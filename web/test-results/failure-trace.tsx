import { CopyButton } from '../ui/text/copy-text.tsx';

/** What a failed test said. Its trace opens below the message. */
export function FailureTrace({
  label,
  message,
  trace,
}: {
  /** Names the trace. */
  label: string;
  message: string | null;
  trace: string | null;
}) {
  const [first = '', ...others] = (message ?? '').split('\n');
  const rest = [others.join('\n'), trace ?? ''].filter((part) => part.trim() !== '').join('\n');
  const head = (
    <bdi className="font-mono text-xs leading-5 wrap-anywhere text-failed">
      {first === '' ? 'The report has no message.' : first}
    </bdi>
  );
  if (rest === '') return <p>{head}</p>;
  return (
    <details className="min-w-0">
      <summary className="cursor-pointer rounded-xs">{head}</summary>
      <figure className="mt-2 overflow-hidden rounded-md border border-line bg-canvas">
        <figcaption className="flex min-h-8 items-center justify-between border-b border-line pr-1 pl-3 text-xs text-muted">
          Trace <CopyButton name={label.toLowerCase()} text={`${message ?? ''}\n${trace ?? ''}`.trim()} />
        </figcaption>
        {/* Focusable, so that it scrolls by keyboard. */}
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling box needs it */}
        <section aria-label={label} tabIndex={0} className="max-h-96 overflow-auto -outline-offset-2">
          <pre className="px-3 py-2 font-mono text-xs leading-5">{rest}</pre>
        </section>
      </figure>
    </details>
  );
}
