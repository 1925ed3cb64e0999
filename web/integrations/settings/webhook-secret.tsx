import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  defaultGraceHours,
  maxGraceHours,
  type Integration,
  type RotatedSecret,
} from '#contract/integrations/integrations.ts';
import { sendJson } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { CopyText } from '../../ui/text/copy-text.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { SelectField } from '../../ui/form/field.tsx';
import { Form } from '../../ui/form/form.tsx';
import { exactTime } from '../../ui/time/exact-time.ts';
import { integrationsQuery } from '../integrations-query.ts';
import { keepNewSecret } from './new-secret.ts';

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
          ? 'The last delivery was signed with the new secret. '
          : 'The forge does not use the new secret yet. '}
        The previous secret is valid until <strong>{exactTime(previousSecretValidUntil)}</strong>.
      </p>
    );
  }
  return (
    <p>
      {lastSecretUsed === null
        ? 'No delivery has been signed with this secret yet.'
        : lastSecretUsed === 'current'
          ? 'The last delivery was signed with this secret.'
          : 'The last delivery was signed with the previous secret, which has expired. Enter the new secret at the forge.'}
    </p>
  );
}

const graces = [
  { value: '0', label: 'Expires immediately (the secret is compromised)' },
  { value: '1', label: 'For 1 hour' },
  { value: String(defaultGraceHours), label: 'For 1 day' },
  { value: String(maxGraceHours), label: 'For 7 days' },
];

function RotateDialog({
  integration: { integrationId, previousSecretValidUntil },
  onClose,
}: {
  integration: Integration;
  onClose: () => void;
}) {
  const [graceHours, setGraceHours] = useState(String(defaultGraceHours));
  const client = useQueryClient();
  const { mutate, data, isPending, error } = useMutation({
    mutationFn: () =>
      sendJson<RotatedSecret>('POST', `/api/integrations/${integrationId}/rotate-secret`, {
        graceHours: Number(graceHours),
      }),
    onSuccess: ({ webhookSecret }) => {
      keepNewSecret(integrationId, webhookSecret);
      void client.invalidateQueries({ queryKey: integrationsQuery.queryKey });
    },
  });
  return (
    <Dialog title="Replace webhook secret" leaving={data === undefined ? 'asks' : 'barred'} onClose={onClose}>
      {data === undefined ? (
        <Form
          submit="Replace secret"
          isPending={isPending}
          error={error}
          onSubmit={() => mutate()}
          beside={<Button onClick={onClose}>Cancel</Button>}
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
          <SelectField
            name="graceHours"
            label="Previous secret stays valid"
            options={graces}
            value={graceHours}
            onChange={({ target }) => setGraceHours(target.value)}
          />
        </Form>
      ) : (
        <NewSecret rotated={data} onClose={onClose} />
      )}
    </Dialog>
  );
}

function NewSecret({
  rotated: { webhookSecret, previousSecretValidUntil },
  onClose,
}: {
  rotated: RotatedSecret;
  onClose: () => void;
}) {
  return (
    <div className="flex flex-col gap-3">
      <output>Secret replaced. Copy the new secret now: it is shown only once.</output>
      <CopyText name="new secret" text={webhookSecret} />
      <p className="text-muted">
        {previousSecretValidUntil === null
          ? 'The previous secret has expired. Deliveries are refused until the forge uses the new secret.'
          : `The previous secret is valid until ${exactTime(previousSecretValidUntil)}.`}
      </p>
      <Button variant="primary" className="self-start" onClick={onClose}>
        I have saved it
      </Button>
    </div>
  );
}
