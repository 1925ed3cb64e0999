import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { CreatedIntegration } from '#contract/integrations/integrations.ts';
import { sendJson } from '../api/client.ts';
import { AccountLink } from '../identity/account-link.tsx';
import { useMayCreate } from '../identity/use-user.ts';
import { OfferedInvitations } from '../members/invitations/offered-invitations.tsx';
import { TextField } from '../ui/form/field.tsx';
import { Form } from '../ui/form/form.tsx';
import { PlainPage } from '../ui/page/plain-page.tsx';
import { changeIntegrations } from './integrations-query.ts';
import { labelProblem } from './label.ts';
import { keepNewSecret } from './settings/new-secret.ts';
import { useIntegrations } from './use-integration.ts';

/** Creates an integration. The next page shows its webhook. */
export function CreatePage() {
  const { data: integrations } = useIntegrations();
  const mayCreate = useMayCreate();
  const isFirst = integrations?.length === 0;
  if (mayCreate === false) return <Restricted />;
  return (
    <PlainPage
      title={isFirst ? 'Welcome: create your first integration' : 'Create an integration'}
      end={<AccountLink />}
    >
      {isFirst && (
        <div className="mb-6 empty:hidden">
          <OfferedInvitations />
        </div>
      )}
      <p className="mt-1 mb-6 text-muted">
        An integration is a set of repositories that a team watches together. It has its own webhook URL and
        secret. You become its owner and can invite others.
      </p>
      {mayCreate === true && <CreateForm />}
      {isFirst && (
        <p className="mt-8 border-t border-line pt-4 text-muted">
          Does your team already have an integration? Ask one of its admins for an invitation, or open the
          invitation link that you received.
        </p>
      )}
    </PlainPage>
  );
}

/** For people that `WHO_MAY_CREATE` does not name. */
function Restricted() {
  return (
    <PlainPage title="You cannot create integrations" end={<AccountLink />}>
      <p className="mt-1 mb-6 text-muted">
        Only people named by the operator create integrations here. Ask an admin of an integration for an
        invitation, or the operator to add you.
      </p>
      <OfferedInvitations isShownEmpty />
    </PlainPage>
  );
}

function CreateForm() {
  const [label, setLabel] = useState('');
  const [field, setField] = useState<HTMLInputElement | null>(null);
  const navigate = useNavigate();
  const client = useQueryClient();
  useEffect(() => field?.focus(), [field]);
  const create = useMutation({
    mutationFn: () => sendJson<CreatedIntegration>('POST', '/api/integrations', { label: label.trim() }),
    onSuccess: async ({ webhookSecret, ...integration }) => {
      const { integrationId } = integration;
      keepNewSecret(integrationId, webhookSecret);
      await changeIntegrations(client, (all = []) => [...all, integration]);
      await navigate({ to: '/integrations/$integrationId/connect', params: { integrationId } });
    },
  });
  const problem = labelProblem(label);
  return (
    <Form
      submit="Create integration"
      request={create}
      onSubmit={() => create.mutate()}
      beside={
        <Link to="/" className="px-2 text-accent underline">
          Cancel
        </Link>
      }
    >
      <TextField
        ref={setField}
        name="label"
        label="Name"
        hint="For example the name of a team or product: platform, mobile apps."
        maxLength={100}
        value={label}
        problem={problem}
        onChange={({ target }) => setLabel(target.value)}
      />
    </Form>
  );
}
