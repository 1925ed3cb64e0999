import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { eventWebhookTypes, type EventWebhookType } from '#contract/integrations/webhook-types.ts';
import type { WebhookSubscription } from '#contract/integrations/webhook-subscriptions.ts';
import { sendJson } from '../../api/client.ts';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { toast } from '../../ui/dialog/toast.ts';
import { CheckField, FieldGroup, TextField } from '../../ui/form/field.tsx';
import { Form } from '../../ui/form/form.tsx';
import { NameField } from '../../ui/form/name-field.tsx';
import { subscriptionsPath } from '../webhook-queries.ts';
import { eventTexts } from '../webhook-texts.ts';
import { SigningSecret } from './signing-secret.tsx';

/** Adds a subscription and shows its signing secret once, or changes `saved`. */
export function SubscriptionDialog({
  integrationId,
  saved,
  onClose,
}: {
  integrationId: string;
  saved: WebhookSubscription | undefined;
  onClose: () => void;
}) {
  const [name, setName] = useState(saved?.name ?? '');
  const [url, setUrl] = useState('');
  const [eventTypes, setEventTypes] = useState<readonly EventWebhookType[]>(
    saved?.eventTypes ?? ['run.completed'],
  );
  const { data, ...save } = useSave(integrationId, saved, onClose);
  const secret = data?.signingSecret ?? undefined;
  return (
    <Dialog
      title={saved === undefined ? 'Add webhook subscription' : `Edit ${saved.name}`}
      leaving={secret === undefined && !save.isPending ? 'asks' : 'barred'}
      onClose={onClose}
    >
      {secret !== undefined ? (
        <SigningSecret done="Subscription added." secret={secret} onClose={onClose} />
      ) : (
        <Form
          submit={saved === undefined ? 'Add subscription' : 'Save subscription'}
          request={save}
          onSubmit={() =>
            save.mutate({ name: name.trim(), eventTypes, ...(url.trim() === '' ? {} : { url: url.trim() }) })
          }
          onCancel={onClose}
        >
          <NameField hint="Which program gets the webhooks." value={name} onChange={setName} />
          <TextField
            name="url"
            label={saved === undefined ? 'URL' : 'New URL'}
            hint={
              saved === undefined
                ? 'Begins with https://. It is stored encrypted and cannot be shown later.'
                : `Empty: the stored URL at ${saved.host} is kept.`
            }
            type="url"
            required={saved === undefined}
            maxLength={2000}
            value={url}
            onChange={({ target }) => setUrl(target.value)}
          />
          <EventTypes chosen={eventTypes} onChange={setEventTypes} />
        </Form>
      )}
    </Dialog>
  );
}

function useSave(integrationId: string, saved: WebhookSubscription | undefined, onClose: () => void) {
  const client = useQueryClient();
  const path = subscriptionsPath(integrationId);
  return useMutation({
    mutationFn: (fields: object) =>
      saved === undefined
        ? sendJson<WebhookSubscription>('POST', path, fields)
        : sendJson<WebhookSubscription>('PUT', `${path}/${saved.subscriptionId}`, {
            ...fields,
            enabled: saved.enabled,
          }),
    onSuccess: ({ signingSecret }) => {
      void client.invalidateQueries({ queryKey: [path] });
      if (signingSecret !== null) return;
      toast('Subscription saved');
      onClose();
    },
  });
}

function EventTypes({
  chosen,
  onChange,
}: {
  chosen: readonly EventWebhookType[];
  onChange: (chosen: readonly EventWebhookType[]) => void;
}) {
  return (
    <FieldGroup
      name="eventTypes"
      label="Events"
      problem={chosen.length === 0 ? 'Select at least one event.' : undefined}
    >
      {eventWebhookTypes.map((type) => (
        <CheckField
          key={type}
          label={eventTexts[type].label}
          hint={eventTexts[type].hint}
          checked={chosen.includes(type)}
          onChange={({ target }) =>
            onChange(
              eventWebhookTypes.filter((one) => (one === type ? target.checked : chosen.includes(one))),
            )
          }
        />
      ))}
    </FieldGroup>
  );
}
