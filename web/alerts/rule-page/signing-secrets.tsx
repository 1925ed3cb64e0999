import type { NotificationRule } from '#contract/alerts/alerts.ts';
import { Button } from '../../ui/button.tsx';
import { CopyText } from '../../ui/text/copy-text.tsx';

/** The new signing secrets of a saved rule. */
export function SigningSecrets({ rule, onClose }: { rule: NotificationRule; onClose: () => void }) {
  const made = rule.channels.filter(({ signingSecret }) => signingSecret !== null);
  return (
    <section aria-label="Signing secrets" className="flex max-w-2xl flex-col gap-4 px-4 py-5">
      <p>
        Rule saved. Webhooks are signed as defined by Standard Webhooks. Copy the secret of each receiver now:
        it is shown only once.
      </p>
      {made.map(({ channelId, host, signingSecret }) => (
        <div key={channelId}>
          <p className="mb-1 font-medium">{host}</p>
          <CopyText name={`signing secret of ${host ?? 'the channel'}`} text={signingSecret ?? ''} />
        </div>
      ))}
      <div>
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </section>
  );
}
