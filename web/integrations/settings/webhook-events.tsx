import { useState } from 'react';
import { queuedEvents, type Integration, type QueuedEvent } from '#contract/integrations/integrations.ts';
import { CheckField, FieldGroup } from '../../ui/form/field.tsx';
import { Form } from '../../ui/form/form.tsx';
import { eventTexts } from '../event-texts.ts';
import { useChange } from '../use-change.ts';

/** Selects the events to store. */
export function WebhookEvents({
  integration: { integrationId, webhookEvents },
  reason,
}: {
  integration: Integration;
  reason: string | undefined;
}) {
  const [changed, setChanged] = useState<readonly QueuedEvent[]>();
  const chosen = changed ?? webhookEvents;
  const save = useChange(integrationId, 'PUT', '/webhook-events', 'Events changed');
  const isSame =
    chosen.length === webhookEvents.length && chosen.every((event) => webhookEvents.includes(event));
  return (
    <Form
      submit="Save events"
      variant="plain"
      request={save}
      reason={reason ?? (isSame ? 'No changes' : undefined)}
      onSubmit={() => save.mutate({ events: chosen }, { onSuccess: () => setChanged(undefined) })}
    >
      <FieldGroup name="events" label="Events to store">
        {queuedEvents.map((event) => (
          <CheckField
            key={event}
            label={eventTexts[event].label}
            hint={eventTexts[event].hint}
            checked={chosen.includes(event)}
            disabled={reason !== undefined}
            onChange={({ target }) =>
              setChanged(
                queuedEvents.filter((one) => (one === event ? target.checked : chosen.includes(one))),
              )
            }
          />
        ))}
      </FieldGroup>
      {chosen.length === 0 && <p>No events selected: this integration will not receive data.</p>}
      {reason && <p className="text-muted">{reason}.</p>}
    </Form>
  );
}
