import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  acceptUrlHeader,
  mailOutcomeHeader,
  type Invitation,
  type MailOutcome,
} from '#contract/members/invitations.ts';
import { request } from '../../api/client.ts';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { useRemove } from '../../ui/use-remove.ts';
import { PageError } from '../../ui/form/form.tsx';
import { Table } from '../../ui/table/table.tsx';
import { toast } from '../../ui/dialog/toast.ts';
import { invitationColumns, recipientOf } from './invitation-columns.tsx';
import { invitationsPath } from '../members-queries.ts';
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
  const [revoking, setRevoking] = useState<Invitation>();
  const path = invitationsPath(integrationId);
  const remove = useRemove(path);
  const resend = useResend(path, onLink);
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
          onConfirm={() => remove('Invitation revoked', revoking.invitationId)}
          onClose={() => setRevoking(undefined)}
        >
          <p>Its link stops working.</p>
        </ConfirmDialog>
      )}
    </>
  );
}

function useResend(path: string, onLink: InvitationListProps['onLink']) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ invitationId }: Invitation) =>
      request(`${path}/${invitationId}/resend`, { method: 'POST' }),
    onSuccess: ({ headers }, invitation) => {
      const url = headers.get(acceptUrlHeader);
      if (url !== null) onLink(invitation.invitationId, url);
      toast(mailText((headers.get(mailOutcomeHeader) ?? 'none') as MailOutcome, invitation.email));
    },
    onSettled: () => client.invalidateQueries({ queryKey: [path] }),
  });
}
