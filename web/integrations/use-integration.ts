import { useQuery } from '@tanstack/react-query';
import type { Integration } from '#contract/integrations/integrations.ts';
import { atLeast, type Role } from '#contract/members/roles.ts';
import { integrationsQuery } from './integrations-query.ts';

export function useIntegrations() {
  return useQuery(integrationsQuery);
}

/** One integration with the role of the current person. Pages render after it is loaded. */
export function useIntegration(integrationId: string): Integration | undefined {
  const { data } = useQuery({
    ...integrationsQuery,
    select: (all) => all.find((one) => one.integrationId === integrationId),
  });
  return data;
}

/** Why the role does not allow what needs `minimum`; undefined if it does. For the `reason` of buttons. */
export function useRoleReason(integrationId: string, minimum: Role): string | undefined {
  const role = useIntegration(integrationId)?.role;
  return role === undefined ? 'Your role is not known yet' : roleReason(role, minimum);
}

export function roleReason(role: Role, minimum: Role): string | undefined {
  if (atLeast(role, minimum)) return undefined;
  const needed =
    minimum === 'owner'
      ? 'the owner'
      : minimum === 'admin'
        ? 'admins and the owner'
        : 'members, admins and the owner';
  return `Your role here is ${role}; this is for ${needed}`;
}
