import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Integration } from '#contract/integrations/integrations.ts';
import { sendJson } from '../api/client.ts';
import { integrationsQuery } from '../integrations/integrations-query.ts';
import { Dialog } from '../ui/dialog/dialog.tsx';
import { SelectField } from '../ui/form/field.tsx';
import { Form } from '../ui/form/form.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { TextLink } from '../ui/text/text-link.tsx';
import { toast } from '../ui/dialog/toast.ts';
import { membersQuery } from './members-queries.ts';
import { personName } from './person-name.ts';

/** Selects the new owner of an integration. */
export function TransferDialog({
  integration: { integrationId },
  onClose,
}: {
  integration: Integration;
  onClose: () => void;
}) {
  const [chosen, setChosen] = useState('');
  const members = useQuery(membersQuery(integrationId));
  const transfer = useTransfer(integrationId, onClose);
  return (
    <Dialog title="Transfer ownership" onClose={onClose}>
      <Loaded reading={members} what="members" skeletonRows={2}>
        {(all) => {
          const others = all.filter(({ role }) => role !== 'owner');
          if (others.length === 0) return <NobodyElse integrationId={integrationId} />;
          return (
            <Form
              submit="Transfer"
              variant="danger"
              request={transfer}
              reason={chosen === '' ? 'Choose the new owner' : undefined}
              onSubmit={() => transfer.mutate(chosen)}
              onCancel={onClose}
            >
              <p>
                The new owner can delete the integration and manage its admins. You become an admin. Only the
                new owner can transfer ownership back.
              </p>
              <SelectField
                name="userId"
                label="New owner"
                value={chosen}
                options={[
                  { value: '', label: 'Choose a member' },
                  ...others.map(({ user, role }) => ({
                    value: user.userId,
                    label: `${personName(user)} (${role})`,
                  })),
                ]}
                onChange={({ target }) => setChosen(target.value)}
              />
            </Form>
          );
        }}
      </Loaded>
    </Dialog>
  );
}

function useTransfer(integrationId: string, onClose: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (userId: string) =>
      sendJson('POST', `/api/integrations/${integrationId}/transfer-ownership`, { userId }),
    onSuccess: async () => {
      toast('Ownership transferred. You are now an admin');
      onClose();
      await Promise.all([
        client.invalidateQueries({ queryKey: integrationsQuery.queryKey }),
        client.invalidateQueries({ queryKey: membersQuery(integrationId).queryKey }),
      ]);
    },
  });
}

function NobodyElse({ integrationId }: { integrationId: string }) {
  return (
    <p>
      There are no other members.{' '}
      <TextLink to="/integrations/$integrationId/members" params={{ integrationId }}>
        Invite the new owner
      </TextLink>{' '}
      first.
    </p>
  );
}
