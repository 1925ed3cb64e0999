import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { MinutePrice, MinutePriceBody } from '#contract/metrics/minute-prices.ts';
import { longestGroupName, type Metrics } from '#contract/metrics/metrics.ts';
import { sendJson } from '../api/client.ts';
import { jsonQuery } from '../api/path-queries.ts';
import { Dialog } from '../ui/dialog/dialog.tsx';
import { toast } from '../ui/dialog/toast.ts';
import { TextField } from '../ui/form/field.tsx';
import { Form } from '../ui/form/form.tsx';

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
  // Suggestions only: the form does not wait for them.
  const metrics = useQuery(jsonQuery<Metrics>(`/api/integrations/${integrationId}/metrics`));
  const listId = useId();
  const client = useQueryClient();
  const [runner, setRunner] = useState('');
  const [validFrom, setValidFrom] = useState(() => new Date().toISOString().slice(0, 10));
  const [perMinute, setPerMinute] = useState('');
  const [currency, setCurrency] = useState('USD');
  const save = useMutation({
    mutationFn: (body: MinutePriceBody) => sendJson<MinutePrice>('PUT', path, body),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: [path] });
      toast('Price set');
      onClose();
    },
  });
  const price = Number(perMinute.trim().replace(',', '.'));
  const isPrice = perMinute.trim() !== '' && price >= 0 && price <= 100;
  return (
    <Dialog title="Set price" onClose={onClose}>
      <Form
        submit="Set price"
        request={save}
        onSubmit={() => save.mutate({ runner: runner.trim(), validFrom, pricePerMinute: price, currency })}
        onCancel={onClose}
      >
        <TextField
          name="runner"
          label="Runner labels"
          hint="All labels of the job as Health shows them, such as linux, self-hosted."
          list={listId}
          required
          maxLength={longestGroupName}
          autoComplete="off"
          value={runner}
          onChange={({ target }) => setRunner(target.value)}
        />
        <datalist id={listId}>
          {metrics.data?.billable.map((each) => (
            <option key={each.runner} value={each.runner}>
              {each.runner}
            </option>
          ))}
        </datalist>
        <TextField
          name="pricePerMinute"
          label="Price per minute"
          hint="Such as 0.006. 0 for minutes that cost nothing."
          inputMode="decimal"
          required
          autoComplete="off"
          value={perMinute}
          problem={isPrice ? undefined : 'Enter a number from 0 to 100.'}
          onChange={({ target }) => setPerMinute(target.value)}
        />
        <TextField
          name="currency"
          label="Currency"
          hint="An ISO 4217 code, such as USD or EUR."
          required
          maxLength={3}
          autoComplete="off"
          value={currency}
          problem={/^[A-Z]{3}$/.test(currency) ? undefined : 'Enter three letters, such as USD.'}
          onChange={({ target }) => setCurrency(target.value.toUpperCase())}
        />
        <TextField
          name="validFrom"
          type="date"
          label="From (UTC)"
          required
          min="1970-01-01"
          max="8999-12-31"
          value={validFrom}
          onChange={({ target }) => setValidFrom(target.value)}
        />
      </Form>
    </Dialog>
  );
}
