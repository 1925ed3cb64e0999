import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Integration, RotatedSecret } from '#contract/integrations/integrations.ts';
import { sendJson } from '../../api/client.ts';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { ShownOnce } from '../../ui/dialog/shown-once.tsx';
import { exactTime } from '../../ui/time/exact-time.ts';
import { integrationsQuery } from '../integrations-query.ts';
import { keepNewSecret } from './new-secret.ts';
import { ReplaceSecretForm } from './replace-secret-form.tsx';

/** Replaces the webhook secret and shows the new one once. */
export function RotateDialog({
  integration: { integrationId, previousSecretValidUntil },
  onClose,
}: {
  integration: Integration;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const { data, ...rotate } = useMutation({
    mutationFn: (graceHours: number) =>
      sendJson<RotatedSecret>('POST', `/api/integrations/${integrationId}/rotate-secret`, { graceHours }),
    onSuccess: ({ webhookSecret }) => {
      keepNewSecret(integrationId, webhookSecret);
      void client.invalidateQueries({ queryKey: integrationsQuery.queryKey });
    },
  });
  return (
    <Dialog
      title="Replace webhook secret"
      leaving={data === undefined && !rotate.isPending ? 'asks' : 'barred'}
      onClose={onClose}
    >
      {data === undefined ? (
        <ReplaceSecretForm
          label="Previous secret stays valid"
          request={rotate}
          onReplace={rotate.mutate}
          onCancel={onClose}
        >
          <p>
            You get a new secret to enter at the forge. Until then, the forge signs with the previous secret.
          </p>
          {previousSecretValidUntil !== null && (
            <p>
              <strong>The secret from before the last replacement expires immediately</strong>, not at{' '}
              {exactTime(previousSecretValidUntil)}. Deliveries signed with it are refused.
            </p>
          )}
        </ReplaceSecretForm>
      ) : (
        <ShownOnce done="Secret replaced." name="new secret" text={data.webhookSecret} onClose={onClose}>
          {data.previousSecretValidUntil === null
            ? 'The previous secret has expired. Deliveries are refused until the forge uses the new secret.'
            : `Enter it at the forge. The previous secret is valid until ${exactTime(data.previousSecretValidUntil)}.`}
        </ShownOnce>
      )}
    </Dialog>
  );
}
