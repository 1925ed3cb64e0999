import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import {
  defaultTokenDays,
  type CreatedIntegrationToken,
  type CreatedPersonalToken,
} from '#contract/members/api-tokens.ts';
import { sendJson } from '../api/client.ts';
import { Dialog } from '../ui/dialog/dialog.tsx';
import { ShownOnce } from '../ui/dialog/shown-once.tsx';
import { SelectField } from '../ui/form/field.tsx';
import { Form } from '../ui/form/form.tsx';
import { NameField } from '../ui/form/name-field.tsx';
import { exactTime } from '../ui/time/exact-time.ts';
import { tokensQuery } from './token-queries.ts';

const lives = [7, 30, defaultTokenDays, 365].map((days) => ({ value: String(days), label: `${days} days` }));

const dayMs = 86_400_000;

/** Creates an API token and shows it once. `rights` are further fields of the request, `children` their inputs. */
export function TokenDialog({
  path,
  rights,
  children,
  onClose,
}: {
  path: string;
  rights: object;
  children: ReactNode;
  onClose: () => void;
}) {
  const [name, setName] = useState('');
  const [days, setDays] = useState(String(defaultTokenDays));
  const client = useQueryClient();
  const { data, ...create } = useMutation({
    mutationFn: () =>
      sendJson<CreatedPersonalToken | CreatedIntegrationToken>('POST', path, {
        name: name.trim(),
        expiresAt: new Date(Date.now() + Number(days) * dayMs).toISOString(),
        ...rights,
      }),
    onSuccess: () => void client.invalidateQueries({ queryKey: tokensQuery(path).queryKey }),
  });
  return (
    <Dialog
      title="Create API token"
      leaving={data === undefined && !create.isPending ? 'asks' : 'barred'}
      onClose={onClose}
    >
      {data === undefined ? (
        <Form submit="Create token" request={create} onSubmit={() => create.mutate()} onCancel={onClose}>
          <NameField hint="What the token is for." value={name} onChange={setName} />
          {children}
          <SelectField
            name="expiresAt"
            label="Expires after"
            options={lives}
            value={days}
            onChange={({ target }) => setDays(target.value)}
          />
        </Form>
      ) : (
        <ShownOnce done="Token created." name="API token" text={data.token} onClose={onClose}>
          It expires {exactTime(data.expiresAt)}.
        </ShownOnce>
      )}
    </Dialog>
  );
}
