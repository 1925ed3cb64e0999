import { useState } from 'react';
import type { Integration } from '#contract/integrations/integrations.ts';
import { Button } from '../../ui/button.tsx';
import { lazyPart } from '../../ui/page/lazy-part.tsx';
import { exactTime } from '../../ui/time/exact-time.ts';

const RotateDialog = lazyPart('rotate-dialog', 'RotateDialog', () => import('./rotate-dialog.tsx'));

/** The state of the webhook secret, with a button to replace it. */
export function WebhookSecret({
  integration,
  reason,
}: {
  integration: Integration;
  reason: string | undefined;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <SecretState integration={integration} />
      <Button className="mt-3" reason={reason} onClick={() => setOpen(true)}>
        Replace secret…
      </Button>
      {reason && <p className="mt-2 text-muted">{reason}.</p>}
      {isOpen && <RotateDialog integration={integration} onClose={() => setOpen(false)} />}
    </>
  );
}

function SecretState({
  integration: { lastSecretUsed, previousSecretValidUntil },
}: {
  integration: Integration;
}) {
  if (previousSecretValidUntil !== null) {
    return (
      <p>
        {lastSecretUsed === 'current'
          ? 'The last delivery from the forge was signed with the new secret. '
          : 'The forge does not use the new secret yet. '}
        The previous secret is valid until <strong>{exactTime(previousSecretValidUntil)}</strong>.
      </p>
    );
  }
  return (
    <p>
      {lastSecretUsed === null
        ? 'No delivery from the forge has been signed with this secret yet.'
        : lastSecretUsed === 'current'
          ? 'The last delivery from the forge was signed with this secret.'
          : 'The last delivery from the forge was signed with the previous secret, which has expired. Enter the new secret at the forge.'}
    </p>
  );
}
