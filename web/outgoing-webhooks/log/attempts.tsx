import type { WebhookAttempt } from '#contract/integrations/outgoing-webhooks.ts';
import { formatNumber } from '../../ui/locale.ts';
import { exactTime } from '../../ui/time/exact-time.ts';

/** The attempts to send a webhook, newest first. */
export function Attempts({ attempts }: { attempts: readonly WebhookAttempt[] }) {
  return (
    <section aria-label="Attempts">
      <h3 className="mb-1 font-semibold">Attempts</h3>
      {attempts.length === 0 ? (
        <p className="text-muted">It was not sent yet.</p>
      ) : (
        <ol className="max-h-60 overflow-y-auto">
          {attempts.map(({ number, at, durationMs, statusCode, problem }) => (
            <li key={number} className="flex flex-wrap gap-x-4 border-b border-line py-1">
              <span className="w-6 text-muted">{number}.</span>
              <time dateTime={at}>{exactTime(at)}</time>
              <span className={problem === null ? 'text-passed' : 'text-failed'}>
                {problem ?? `Accepted with ${statusCode}`}
              </span>
              <span className="ml-auto text-muted">{formatNumber(durationMs)} ms</span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
