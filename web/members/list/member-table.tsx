import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Member } from '#contract/members/members.ts';
import type { Role } from '#contract/members/roles.ts';
import { sendJson } from '../../api/client.ts';
import { useUser } from '../../identity/use-user.ts';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { useRemove } from '../../ui/use-remove.ts';
import { PageError } from '../../ui/form/form.tsx';
import { Table } from '../../ui/table/table.tsx';
import { toast } from '../../ui/dialog/toast.ts';
import { memberColumns } from './member-columns.tsx';
import { membersPath } from '../members-queries.ts';
import { personName } from '../person-name.ts';

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
