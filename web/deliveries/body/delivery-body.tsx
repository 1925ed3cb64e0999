import type { DeliveryDetail } from '#contract/deliveries/deliveries.ts';
import { isQueued } from '../verdict-mark.tsx';
import { formatNumber } from '../../ui/locale.ts';
import { SearchedText } from './searched-text.tsx';

/** The body as indented JSON, with search and download. */
export function DeliveryBody({
  delivery: { verdict, body, size, truncated },
  path,
}: {
  delivery: DeliveryDetail;
  path: string;
}) {
  return (
    <section aria-label="Body">
      <div className="mb-1 flex flex-wrap items-center justify-between gap-x-4">
        <h3 className="font-semibold">
          Body {size !== null && <span className="font-normal text-muted">{formatNumber(size)} bytes</span>}
        </h3>
        {body !== null && (
          <a href={path} download className="text-accent underline">
            Download
          </a>
        )}
      </div>
      {body === null ? (
        <p className="text-muted">
          {isQueued(verdict)
            ? 'The body was deleted or cannot be decrypted.'
            : 'The body was not stored because the delivery was not queued.'}
        </p>
      ) : (
        <>
          <SearchedText body={body} />
          {truncated && (
            <p className="text-muted">
              Only the first 256 KiB are shown and searched. The download has the whole body.
            </p>
          )}
        </>
      )}
    </section>
  );
}
