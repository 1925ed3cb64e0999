import { useState } from 'react';
import { queuedEvents, type Integration, type QueuedEvent } from '#contract/integrations.ts';
import { CheckField, FieldGroup } from '../../ui/form/field.tsx';
import { Form } from '../../ui/form/form.tsx';
import { useChange } from '../use-change.ts';

const texts: Record<QueuedEvent, { label: string; hint: string }> = {
  workflow_run: {
    label: 'Workflow runs',
    hint: 'Runs, their results and durations. Without them little is shown.',
  },
  workflow_job: { label: 'Workflow jobs', hint: 'Jobs, steps, queue times and runners of a run.' },
  pull_request: { label: 'Pull requests', hint: 'Which pull request a run belongs to.' },
  pull_request_review: { label: 'Pull request reviews', hint: 'Who approved or asked for changes.' },
};

/** Which events of the forge are taken. */
export function WebhookEvents({
  integration: { integrationId, webhookEvents },
  reason,
}: {
  integration: Integration;
  reason: string | undefined;
}) {
  const [chosen, setChosen] = useState<readonly QueuedEvent[]>(webhookEvents);
  const { mutate, isPending, error } = useChange(integrationId, 'PUT', '/webhook-events', 'Events changed');
  const isSame =
    chosen.length === webhookEvents.length && chosen.every((event) => webhookEvents.includes(event));
  return (
    <Form
      submit="Save events"
      variant="plain"
      isPending={isPending}
      error={error}
      reason={reason ?? (isSame ? 'Nothing is changed' : undefined)}
      onSubmit={() => mutate({ events: queuedEvents.filter((event) => chosen.includes(event)) })}
    >
      <FieldGroup name="events" label="Events that are taken">
        {queuedEvents.map((event) => (
          <CheckField
            key={event}
            {...texts[event]}
            checked={chosen.includes(event)}
            disabled={reason !== undefined}
            onChange={({ target }) =>
              setChosen((all) => (target.checked ? [...all, event] : all.filter((one) => one !== event)))
            }
          />
        ))}
      </FieldGroup>
      {chosen.length === 0 && <p>Nothing is taken then: the integration stands still.</p>}
      {reason && <p className="text-muted">{reason}.</p>}
    </Form>
  );
}
