import CircleAlert from 'lucide-react/icons/circle-alert';
import CircleCheck from 'lucide-react/icons/circle-check';
import type { TestSendResult } from '#contract/alerts/alerts.ts';

/** The result of a test notification for each channel. */
export function TestResults({ ruleName, results }: { ruleName: string; results: readonly TestSendResult[] }) {
  return (
    <section aria-label="Test notification">
      <h2 className="font-semibold">
        Test of <bdi>{ruleName}</bdi>
      </h2>
      <output>
        {results.length === 0 && <p className="text-muted">The rule has no channel to send to.</p>}
        {results.map(({ channelId, target, sent, problem, tookMs }) => (
          <p key={channelId} className={`flex items-start gap-2 ${sent ? 'text-passed' : 'text-failed'}`}>
            {sent ? (
              <CircleCheck size={15} aria-hidden className="mt-0.5 shrink-0" />
            ) : (
              <CircleAlert size={15} aria-hidden className="mt-0.5 shrink-0" />
            )}
            <span>
              <bdi>{target}</bdi>: {sent ? `sent in ${tookMs} ms` : problem}
            </span>
          </p>
        ))}
      </output>
    </section>
  );
}
