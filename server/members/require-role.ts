import type { FastifyRequest } from 'fastify';
import { atLeast, type Role } from '#contract/members/roles.ts';
import type { Database } from '#platform/database/database.ts';
import { isUuid } from '#platform/database/scope.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { findRole } from './store.ts';

/**
 * The check behind `access: { role }`. A missing membership and a missing integration have the same answer, so that
 * IDs cannot be probed. The role is read on every request, so that a removal takes effect at once, for API tokens too.
 */
export function requireRole(db: Database, minimum: Role): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    const { integrationId } = request.params as { integrationId: string };
    const { userId, integrationIds } = request.caller ?? {};
    const isAllowed = integrationIds === undefined || integrationIds.includes(integrationId);
    if (userId !== undefined && isUuid(integrationId) && isAllowed) {
      const role = await db.withScope({ integrationId }, (tx) => findRole(tx, integrationId, userId));
      if (role !== undefined && atLeast(role, minimum)) return;
    }
    throw new AppError('insufficient_role', {
      detail: `This requires the role ${minimum} in the integration.`,
    });
  };
}
