import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  acceptUrlHeader,
  mailOutcomeHeader,
  type Invitation,
  type MailOutcome,
} from '#contract/members/invitations.ts';
import { request, sendJson } from '../../api/client.ts';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { PageError } from '../../ui/form/form.tsx';
import { Table } from '../../ui/table/table.tsx';
import { toast } from '../../ui/dialog/toast.ts';
import { invitationColumns, recipientOf } from './invitation-columns.tsx';
import { invitationsQuery } from '../members-queries.ts';
import { mailText } from '../invitations/mail-text.ts';

interface InvitationListProps {
  integrationId: string;
  invitations: readonly Invitation[];
  /** Links created since the page was opened, by invitation. The server shows each once. */
  links: Readonly<Record<string, string>>;
  onLink: (invitationId: string, url: string) => void;
  /** Why this person cannot change them. */
  reason: string | undefined;
}

export function InvitationList({ integrationId, invitations, links, onLink, reason }: InvitationListProps) {
  const client = useQueryClient();
  const [revoking, setRevoking] = useState<Invitation>();
  const path = ({ invitationId }: Invitation): string =>
    `/api/integrations/${integrationId}/invitations/${invitationId}`;
  const readAgain = (): Promise<void> =>
    client.invalidateQueries({ queryKey: invitationsQuery(integrationId).queryKey });
  const resend = useResend(path, onLink, readAgain);
  if (invitations.length === 0) {
    return (
      <p className="px-4 text-muted">
        No open invitations. {reason === undefined ? 'Invite people by mail or with a link.' : `${reason}.`}
      </p>
    );
  }
  const columns = invitationColumns(links, {
    reason,
    isSending: resend.isPending,
    onResend: (invitation) => resend.mutate(invitation),
    onRevoke: setRevoking,
  });
  return (
    <>
      <PageError error={resend.error} />
      <Table
        label="Open invitations"
        columns={columns}
        rows={invitations}
        rowKey={({ invitationId }) => invitationId}
      />
      {revoking && (
        <ConfirmDialog
          title={`Revoke the invitation for ${recipientOf(revoking)}?`}
          action="Revoke"
          onConfirm={async () => {
            await sendJson('DELETE', path(revoking));
            toast('Invitation revoked');
            await readAgain();
          }}
          onClose={() => setRevoking(undefined)}
        >
          <p>Its link stops working.</p>
        </ConfirmDialog>
      )}
    </>
  );
}

function useResend(
  path: (invitation: Invitation) => string,
  onLink: InvitationListProps['onLink'],
  readAgain: () => Promise<void>,
) {
  return useMutation({
    mutationFn: (invitation: Invitation) => request(`${path(invitation)}/resend`, { method: 'POST' }),
    onSuccess: ({ headers }, invitation) => {
      const url = headers.get(acceptUrlHeader);
      if (url !== null) onLink(invitation.invitationId, url);
      toast(mailText((headers.get(mailOutcomeHeader) ?? 'none') as MailOutcome, invitation.email));
    },
    onSettled: readAgain,
  });
}
