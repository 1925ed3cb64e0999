import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { AcceptedInvitation } from '#contract/members/invitations.ts';
import { userQuery } from '../../identity/use-user.ts';
import { integrationsQuery } from '../../integrations/integrations-query.ts';
import { toast } from '../../ui/dialog/toast.ts';

/** The invitations for the address of the signed-in person. */
export const offersPath = '/api/invitations';

/** Accepts an invitation, with or without its link, and opens the integration. */
export function useAccept<Invitation>(
  accept: (invitation: Invitation) => Promise<AcceptedInvitation>,
  { onAccepted, replace = false }: { onAccepted?: () => void; replace?: boolean } = {},
) {
  const client = useQueryClient();
  const navigate = useNavigate();
  // Also reads inactive queries: the next page checks the list of integrations and would deny access.
  const readAgain = (...keys: readonly (readonly unknown[])[]) =>
    Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey, refetchType: 'all' })));
  return useMutation({
    mutationFn: accept,
    onSuccess: async ({ integrationId, role }) => {
      onAccepted?.();
      await readAgain([offersPath], integrationsQuery.queryKey, userQuery.queryKey);
      toast(`Welcome: you joined as ${role}`);
      await navigate({ to: '/integrations/$integrationId/overview', params: { integrationId }, replace });
    },
    onError: () => readAgain([offersPath]),
  });
}
