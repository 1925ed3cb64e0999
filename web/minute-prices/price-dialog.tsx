import { useQuery } from '@tanstack/react-query';
import { useId, useState, type ChangeEvent, type ComponentProps } from 'react';
import type { MinutePriceBody } from '#contract/metrics/minute-prices.ts';
import { longestGroupName, type Metrics } from '#contract/metrics/metrics.ts';
import { sendJson } from '../api/client.ts';
import { jsonQuery } from '../api/path-queries.ts';
import { Dialog } from '../ui/dialog/dialog.tsx';
import { TextField } from '../ui/form/field.tsx';
import { Form } from '../ui/form/form.tsx';
import { useSave } from '../ui/use-save.ts';

/** Sets a price, in place of the one of the same labels and day. */
export function PriceDialog({
  integrationId,
  path,
  onClose,
}: {
  integrationId: string;
  path: string;
  onClose: () => void;
}) {
  const { draft, field } = useDraft();
  const save = useSave({
    path,
    send: (body: MinutePriceBody) => sendJson('PUT', path, body),
    done: 'Price set',
    onSaved: onClose,
  });
  const price = Number(draft.pricePerMinute.trim().replace(',', '.'));
  const isPrice = draft.pricePerMinute.trim() !== '' && price >= 0 && price <= 100;
  return (
    <Dialog title="Set price" onClose={onClose}>
      <Form
        submit="Set price"
        request={save}
        onSubmit={() => save.mutate({ ...draft, runner: draft.runner.trim(), pricePerMinute: price })}
        onCancel={onClose}
      >
        <RunnerField integrationId={integrationId} {...field('runner')} />
        <TextField
          label="Price per minute"
          hint="Such as 0.006. 0 for minutes that cost nothing."
          inputMode="decimal"
          problem={isPrice ? undefined : 'Enter a number from 0 to 100.'}
          {...field('pricePerMinute')}
        />
        <TextField
          label="Currency"
          hint="An ISO 4217 code, such as USD or EUR."
          maxLength={3}
          problem={/^[A-Z]{3}$/.test(draft.currency) ? undefined : 'Enter three letters, such as USD.'}
          {...field('currency')}
        />
        <TextField type="date" label="From (UTC)" min="1970-01-01" max="8999-12-31" {...field('validFrom')} />
      </Form>
    </Dialog>
  );
}

/** The values of the fields as texts, and what all fields share. */
function useDraft() {
  const [draft, setDraft] = useState(() => ({
    runner: '',
    pricePerMinute: '',
    currency: 'USD',
    validFrom: new Date().toISOString().slice(0, 10),
  }));
  const field = (name: keyof typeof draft) => ({
    name,
    required: true,
    value: draft[name],
    onChange: ({ target }: ChangeEvent<HTMLInputElement>) =>
      setDraft((before) => ({
        ...before,
        [name]: name === 'currency' ? target.value.toUpperCase() : target.value,
      })),
  });
  return { draft, field };
}

/** Suggests the labels of the last week, and does not wait for them. */
function RunnerField({ integrationId, ...field }: { integrationId: string } & ComponentProps<'input'>) {
  const metrics = useQuery(jsonQuery<Metrics>(`/api/integrations/${integrationId}/metrics`));
  const listId = useId();
  return (
    <>
      <TextField
        label="Runner labels"
        hint="All labels of the job as Health shows them, such as linux, self-hosted."
        list={listId}
        maxLength={longestGroupName}
        {...field}
      />
      <datalist id={listId}>
        {metrics.data?.billable.map((each) => (
          <option key={each.runner} value={each.runner}>
            {each.runner}
          </option>
        ))}
      </datalist>
    </>
  );
}
