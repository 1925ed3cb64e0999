import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import Link from 'lucide-react/icons/link';
import RefreshCw from 'lucide-react/icons/refresh-cw';
import Trash2 from 'lucide-react/icons/trash-2';
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
import { Table, actionsColumn, type Column } from '../../ui/table/table.tsx';
import { toast } from '../../ui/dialog/toast.ts';
import { invitationsPath } from '../members-queries.ts';
import { mailText } from '../invitations/mail-text.ts';
import { IconButton } from '../../ui/button.tsx';
import { CopyText } from '../../ui/text/copy-text.tsx';
import { exactTime } from '../../ui/time/exact-time.ts';
import { TimeAgo } from '../../ui/time/time.tsx';

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

interface InvitationActions {
  /** Why this person cannot change them. */
  reason: string | undefined;
  isSending: boolean;
  onResend: (invitation: Invitation) => void;
  onRevoke: (invitation: Invitation) => void;
}

function invitationColumns(
  links: Readonly<Record<string, string>>,
  actions: InvitationActions,
): Column<Invitation>[] {
  return [
    {
      key: 'recipient',
      header: 'For',
      renderCell: (one) => <Whom invitation={one} link={links[one.invitationId]} />,
    },
    { key: 'role', header: 'Role', className: 'columns:w-40', renderCell: ({ role }) => role },
    {
      key: 'by',
      header: 'Invited by',
      className: 'text-muted',
      renderCell: ({ invitedBy, createdAt }) => (
        <>
          <bdi>{invitedBy.name ?? 'a member'}</bdi>, <TimeAgo time={createdAt} isFocusable />
        </>
      ),
    },
    {
      key: 'until',
      header: 'Valid until',
      className: 'text-muted',
      renderCell: (one) => <Until invitation={one} />,
    },
    {
      ...actionsColumn,
      className: 'columns:w-28',
      renderCell: (one) => <Actions {...actions} invitation={one} />,
    },
  ];
}

function Actions({
  reason,
  isSending,
  onResend,
  onRevoke,
  invitation,
}: InvitationActions & { invitation: Invitation }) {
  const recipient = recipientOf(invitation);
  return (
    <span className="inline-flex gap-1">
      <IconButton
        label={`${invitation.email === null ? 'New link' : 'Send again'} for ${recipient}`}
        reason={reason}
        disabled={isSending}
        onClick={() => onResend(invitation)}
      >
        <RefreshCw size={15} aria-hidden />
      </IconButton>
      <IconButton label={`Revoke for ${recipient}`} reason={reason} onClick={() => onRevoke(invitation)}>
        <Trash2 size={15} aria-hidden />
      </IconButton>
    </span>
  );
}

function recipientOf({ email }: Invitation): string {
  return email ?? 'anyone with the link';
}

function Whom({ invitation, link }: { invitation: Invitation; link: string | undefined }) {
  return (
    <span className="flex min-w-0 flex-col gap-1.5">
      <span className="flex min-w-0 items-center gap-2">
        {invitation.email === null && <Link size={15} aria-hidden className="shrink-0 text-muted" />}
        <bdi className="font-medium">{invitation.email ?? 'Anyone with the link (one use)'}</bdi>
      </span>
      {link !== undefined && <CopyText name={`link for ${recipientOf(invitation)}`} text={link} />}
    </span>
  );
}

function Until({ invitation: { status, expiresAt } }: { invitation: Invitation }) {
  if (status === 'expired') return <span className="text-failed">Expired: send it again</span>;
  return (
    <>
      <span className="columns:hidden">until </span>
      <time dateTime={expiresAt} className="whitespace-nowrap">
        {exactTime(expiresAt)}
      </time>
    </>
  );
}
