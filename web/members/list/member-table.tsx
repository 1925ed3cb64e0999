import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import ChevronDown from 'lucide-react/icons/chevron-down';
import UserX from 'lucide-react/icons/user-x';
import type { Member, MemberSource } from '#contract/members/members.ts';
import { type Role, roles } from '#contract/members/roles.ts';
import { sendJson } from '../../api/client.ts';
import { useUser } from '../../identity/use-user.ts';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { useRemove } from '../../ui/use-remove.ts';
import { PageError } from '../../ui/form/form.tsx';
import { Table, actionsColumn, type Column } from '../../ui/table/table.tsx';
import { toast } from '../../ui/dialog/toast.ts';
import { membersPath } from '../members-queries.ts';
import { personName } from '../person-name.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { IconButton } from '../../ui/button.tsx';
import { ChoiceMenu } from '../../ui/menu/menu.tsx';
import { TimeAgo } from '../../ui/time/time.tsx';
import { assignableRoles, changeRoleReason, removeReason, roleTexts } from '../member-rules.ts';

interface MemberTableProps {
  integrationId: string;
  members: readonly Member[];
  /** The role of the current person. */
  actorRole: Role;
}

export function MemberTable({ integrationId, members, actorRole }: MemberTableProps) {
  const { data: me } = useUser();
  const client = useQueryClient();
  const [leaving, setLeaving] = useState<Member>();
  const path = membersPath(integrationId);
  const remove = useRemove(path);
  const change = useMutation({
    mutationFn: ({ member, role }: { member: Member; role: Role }) =>
      sendJson('PATCH', `${path}/${member.user.userId}`, { role }),
    onSuccess: (_, { member, role }) => toast(`${personName(member.user)} is now ${role}`),
    onSettled: () => client.invalidateQueries({ queryKey: [path] }),
  });
  const columns = memberColumns({
    actorRole,
    ownId: me?.userId,
    onRole: (member, role) => change.mutate({ member, role }),
    onRemove: setLeaving,
  });
  return (
    <>
      <PageError error={change.error} />
      <Table label="Members" columns={columns} rows={members} rowKey={({ user }) => user.userId} />
      {leaving && (
        <ConfirmDialog
          title={`Remove ${personName(leaving.user)}?`}
          action="Remove"
          onConfirm={() => remove(`${personName(leaving.user)} was removed`, leaving.user.userId)}
          onClose={() => setLeaving(undefined)}
        >
          <p>
            They lose access immediately, also on open pages. Their entries stay in the event log. A linked
            organization does not add them again, but you can invite them.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

const sources: Record<MemberSource, string> = {
  manual: 'Added manually',
  invitation: 'Invitation',
  org_sync: 'Organization sync',
};

interface MemberActions {
  /** The role and the id of the current person. */
  actorRole: Role;
  ownId: string | undefined;
  onRole: (member: Member, role: Role) => void;
  onRemove: (member: Member) => void;
}

function memberColumns({ actorRole, ownId, onRole, onRemove }: MemberActions): Column<Member>[] {
  const pairOf = ({ role, user }: Member) => ({
    actorRole,
    targetRole: role,
    isSelf: user.userId === ownId,
  });
  return [
    {
      key: 'person',
      header: 'Person',
      sortBy: ({ user }) => personName(user),
      renderCell: ({ user }) => <PersonCell user={user} isSelf={user.userId === ownId} />,
    },
    {
      key: 'role',
      header: 'Role',
      sortBy: ({ role }) => roles.indexOf(role),
      className: 'columns:w-40',
      renderCell: (member) => (
        <RoleCell
          member={member}
          reason={changeRoleReason(pairOf(member))}
          onChoose={(role) => onRole(member, role)}
        />
      ),
    },
    {
      key: 'source',
      header: 'Source',
      sortBy: ({ source }) => sources[source],
      className: 'text-muted',
      renderCell: ({ source }) => sources[source],
    },
    {
      key: 'joined',
      header: 'Joined',
      sortBy: ({ joinedAt }) => Date.parse(joinedAt),
      className: 'text-muted',
      renderCell: ({ joinedAt }) => (
        <>
          <span className="columns:hidden">joined </span>
          <TimeAgo time={joinedAt} isFocusable />
        </>
      ),
    },
    {
      ...actionsColumn,
      className: 'columns:w-16',
      renderCell: (member) => (
        <IconButton
          label={`Remove ${personName(member.user)}`}
          reason={removeReason(pairOf(member))}
          onClick={() => onRemove(member)}
        >
          <UserX size={16} aria-hidden />
        </IconButton>
      ),
    },
  ];
}

function PersonCell({ user, isSelf }: { user: Member['user']; isSelf: boolean }) {
  const below = [user.forgeLogin, user.email].filter((text) => text !== null && text !== user.name);
  return (
    <span className="flex min-w-0 items-center gap-2.5">
      <Avatar name={personName(user)} picture={user.picture} />
      <span className="min-w-0">
        <bdi className="font-medium">{personName(user)}</bdi>
        {isSelf && <span className="text-muted"> (you)</span>}
        {below.length > 0 && (
          <bdi dir="ltr" className="block text-xs text-muted">
            {below.join(' · ')}
          </bdi>
        )}
      </span>
    </span>
  );
}

function RoleCell({
  member: { role, user },
  reason,
  onChoose,
}: {
  member: Member;
  reason: string | undefined;
  onChoose: (role: Role) => void;
}) {
  if (reason !== undefined) return <span title={reason}>{role}</span>;
  return (
    <ChoiceMenu
      label={`Role of ${personName(user)}`}
      className="prints -ml-2 inline-flex h-7 items-center gap-1.5 rounded-md px-2 hover:bg-hover pointer-coarse:h-9"
      value={role}
      groups={[assignableRoles.map((value) => ({ value, label: `${value}: ${roleTexts[value]}` }))]}
      onChoose={(chosen) => {
        if (chosen !== role) onChoose(chosen as Role);
      }}
    >
      <span className="sr-only">Role of {personName(user)}:</span>
      {role}
      <ChevronDown size={14} aria-hidden className="text-muted" />
    </ChoiceMenu>
  );
}
