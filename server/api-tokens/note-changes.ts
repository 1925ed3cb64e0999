import type { FastifyInstance, FastifyRequest } from 'fastify';
import { actAs } from '#platform/database/acting-user.ts';
import type { Database } from '#platform/database/database.ts';
import { pathOf } from '#platform/http/chain/canonical-path.ts';
import { recordLogEntry } from '#server/event-log/add-entry.ts';

/**
 * Adds an entry to the event log for each change by an API token that has no entry of its own. Entries of changes name the
 * token themselves. Call it before the routes are registered.
 */
export function noteChanges(http: FastifyInstance, db: Database): void {
  http.addHook('onResponse', (request, reply, done) => {
    done();
    if (request.caller?.token === undefined || reply.statusCode >= 400) return;
    noteChange(db, request).catch((error: unknown) =>
      request.log.warn({ err: error }, 'use of an API token not stored in the event log'),
    );
  });
}

async function noteChange(db: Database, { caller, method, params, raw }: FastifyRequest): Promise<void> {
  const { integrationId } = params as { integrationId?: string };
  const token = caller?.token;
  if (token === undefined || method === 'GET' || method === 'HEAD') return;
  if (integrationId === undefined || token.isNoted === true) return;
  const { name, tokenId } = token;
  const path = pathOf(raw.url ?? '').replace(`/api/integrations/${integrationId}`, '');
  // The caller may have left the integration with this request.
  await actAs(undefined, () =>
    recordLogEntry(db, {
      integrationId,
      type: 'token.used',
      title: `The API token “${name}” was used for ${method} ${path === '' ? '/' : path}`,
      actorId: caller?.userId ?? null,
      details: { token: name, tokenId, method, path },
    }),
  );
}
