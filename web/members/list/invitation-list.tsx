import { useMutation, useQueryClient } from '@tanstack/react-query';
import Link from 'lucide-react/icons/link';
import RefreshCw from 'lucide-react/icons/refresh-cw';
import Trash2 from 'lucide-react/icons/trash-2';
import { useState } from 'react';
import {
  acceptUrlHeader,
  mailOutcomeHeader,
  type Invitation,
  type MailOutcome,
} from '#contract/members/invitations.ts';
import { request, sendJson } from '../api/client.ts';
import { IconButton } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog/confirm-dialog.tsx';
import { CopyText } from '../ui/text/copy-text.tsx';
import { FormError } from '../ui/form/form.tsx';
import { Table, type Column } from '../ui/table/table.tsx';
import { exactTime, TimeAgo } from '../ui/time/time.tsx';
import { toast } from '../ui/dialog/toast.ts';
import { invitationsQuery } from './members-queries.ts';
import { mailText } from './mail-text.ts';

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
  const resend = useMutation({
    mutationFn: (invitation: Invitation) => request(`${path(invitation)}/resend`, { method: 'POST' }),
    onSuccess: ({ headers }, invitation) => {
      const url = headers.get(acceptUrlHeader);
      if (url !== null) onLink(invitation.invitationId, url);
      toast(mailText((headers.get(mailOutcomeHeader) ?? 'none') as MailOutcome, invitation.email));
    },
    onSettled: readAgain,
  });
  if (invitations.length === 0) {
    return (
      <p className="px-4 text-muted">
        No open invitations. {reason === undefined ? 'Invite people by mail or with a link.' : `${reason}.`}
      </p>
    );
  }
  const columns: Column<Invitation>[] = [
    {
      key: 'recipient',
      header: 'For',
      renderCell: (one) => <Whom invitation={one} link={links[one.invitationId]} />,
    },
    { key: 'role', header: 'Role', className: 'md:w-40', renderCell: ({ role }) => role },
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
      key: 'actions',
      header: 'Actions',
      isUnnamed: true,
      isAtEnd: true,
      className: 'md:w-28',
      renderCell: (one) => (
        <span className="inline-flex gap-1">
          <IconButton
            label={`${one.email === null ? 'New link' : 'Send again'} for ${recipientOf(one)}`}
            reason={reason}
            disabled={resend.isPending}
            onClick={() => resend.mutate(one)}
          >
            <RefreshCw size={15} aria-hidden />
          </IconButton>
          <IconButton
            label={`Revoke for ${recipientOf(one)}`}
            reason={reason}
            onClick={() => setRevoking(one)}
          >
            <Trash2 size={15} aria-hidden />
          </IconButton>
        </span>
      ),
    },
  ];
  return (
    <>
      {resend.error && (
        <div className="px-4 py-2">
          <FormError error={resend.error} />
        </div>
      )}
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
      <span className="md:hidden">until </span>
      <time dateTime={expiresAt} className="whitespace-nowrap">
        {exactTime(expiresAt)}
      </time>
    </>
  );
}
