import Link from 'lucide-react/icons/link';
import RefreshCw from 'lucide-react/icons/refresh-cw';
import Trash2 from 'lucide-react/icons/trash-2';
import type { Invitation } from '#contract/members/invitations.ts';
import { IconButton } from '../../ui/button.tsx';
import { actionsColumn, type Column } from '../../ui/table/table.tsx';
import { CopyText } from '../../ui/text/copy-text.tsx';
import { exactTime } from '../../ui/time/exact-time.ts';
import { TimeAgo } from '../../ui/time/time.tsx';

interface InvitationActions {
  /** Why this person cannot change them. */
  reason: string | undefined;
  isSending: boolean;
  onResend: (invitation: Invitation) => void;
  onRevoke: (invitation: Invitation) => void;
}

export function invitationColumns(
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

export function recipientOf({ email }: Invitation): string {
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
