import { useQuery } from '@tanstack/react-query';
import UserPlus from 'lucide-react/icons/user-plus';
import { useState } from 'react';
import type { CreatedInvitation } from '#contract/members/invitations.ts';
import { roleReason, useIntegration } from '../integrations/use-integration.ts';
import { Button } from '../ui/button.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { PageBody } from '../ui/page/page-body.tsx';
import { PageHeader, PageTitle } from '../ui/page/page-header.tsx';
import { InvitationList } from './list/invitation-list.tsx';
import { InviteDialog } from './invitations/invite-dialog.tsx';
import { MemberTable } from './list/member-table.tsx';
import { invitationsQuery, membersQuery } from './members-queries.ts';

/** Members and open invitations. */
export function MembersPage({ integrationId }: { integrationId: string }) {
  const [isInviting, setInviting] = useState(false);
  const [links, setLinks] = useState<Readonly<Record<string, string>>>({});
  const role = useIntegration(integrationId)?.role ?? 'viewer';
  const members = useQuery(membersQuery(integrationId));
  const invitations = useQuery(invitationsQuery(integrationId));
  const keepLink = (invitationId: string, url: string): void =>
    setLinks((all) => ({ ...all, [invitationId]: url }));
  const reason = roleReason(role, 'admin');
  return (
    <>
      <PageHeader
        title={<PageTitle>Members</PageTitle>}
        end={
          <Button variant="primary" reason={reason} onClick={() => setInviting(true)}>
            <UserPlus size={15} aria-hidden />
            Invite…
          </Button>
        }
      />
      <PageBody>
        <Loaded
          reading={members}
          what="members"
          skeletonRows={4}
          below={
            <>
              <h2 className="px-4 pt-8 pb-2 text-base font-semibold">Open invitations</h2>
              <Loaded reading={invitations} what="invitations" skeletonRows={2}>
                {(all) => (
                  <InvitationList
                    integrationId={integrationId}
                    invitations={all}
                    links={links}
                    onLink={keepLink}
                    reason={reason}
                  />
                )}
              </Loaded>
            </>
          }
        >
          {(all) => <MemberTable integrationId={integrationId} members={all} actorRole={role} />}
        </Loaded>
      </PageBody>
      {isInviting && (
        <InviteDialog
          integrationId={integrationId}
          onCreated={({ invitationId, acceptUrl }: CreatedInvitation) => keepLink(invitationId, acceptUrl)}
          onClose={() => setInviting(false)}
        />
      )}
    </>
  );
}
