import { Type } from 'typebox';
import { InstallationId, ReadHistoryBody } from '#contract/integrations/forge-app.ts';
import { Uuid } from '#contract/base/schema.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { withRole } from '#server/members/locks/lock-member-role.ts';
import { route, type Route } from '#server/route.ts';
import { hasToken, requestHistory, isLinked, stopHistory } from './task-store.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { dayMs } from '#platform/runtime/time-units.ts';

const path = '/api/integrations/:integrationId/forge-app/:installationId/history';
const tokenPath = '/api/integrations/:integrationId/forge-connection/history';
const params = Type.Object({ integrationId: Uuid, installationId: InstallationId });

type RepositoryRoutesDeps = Pick<SharedDeps, 'db' | 'clock'>;

export function repositoryRoutes(deps: RepositoryRoutesDeps): Route[] {
  return [...installationRoutes(deps), ...tokenRoutes(deps)];
}

function installationRoutes({ db, clock }: RepositoryRoutesDeps): Route[] {
  return [
    route('POST', path, {
      access: { role: 'admin' },
      summary:
        'Start reading the runs and jobs of the last days from the forge; the linked installation shows the progress',
      params,
      body: ReadHistoryBody,
      rateLimits: [{ perMinute: 6, by: 'caller' }],
      answer: { status: 202 },
      handle: ({ actor, params: { integrationId, installationId }, body }) =>
        withRole(db, actor, 'admin', async (tx) => {
          if (!(await isLinked(tx, integrationId, installationId))) throw notLinked();
          await requestHistory(tx, integrationId, installationId, new Date(clock() - body.days * dayMs));
        }),
    }),
    route('DELETE', path, {
      access: { role: 'admin' },
      summary: 'Stop reading history; history that was read stays',
      params,
      answer: { status: 204 },
      handle: ({ actor, params: { integrationId, installationId } }) =>
        withRole(db, actor, 'admin', async (tx) => {
          if (!(await stopHistory(tx, integrationId, installationId)))
            throw new AppError('not_found', { detail: 'No history is being read for this installation.' });
        }),
    }),
  ];
}

function tokenRoutes({ db, clock }: RepositoryRoutesDeps): Route[] {
  return [
    route('POST', tokenPath, {
      access: { role: 'admin' },
      summary: 'Start reading the runs and jobs of the last days with the access token',
      body: ReadHistoryBody,
      rateLimits: [{ perMinute: 6, by: 'caller' }],
      errors: ['forge_not_connected'],
      answer: { status: 202 },
      handle: ({ actor, params: { integrationId }, body }) =>
        withRole(db, actor, 'admin', async (tx) => {
          if (!(await hasToken(tx, integrationId))) throw noToken();
          await requestHistory(tx, integrationId, null, new Date(clock() - body.days * dayMs));
        }),
    }),
    route('DELETE', tokenPath, {
      access: { role: 'admin' },
      summary: 'Stop reading history with the access token; history that was read stays',
      errors: ['forge_not_connected', 'conflict'],
      answer: { status: 204 },
      handle: ({ actor, params: { integrationId } }) =>
        withRole(db, actor, 'admin', async (tx) => {
          if (!(await hasToken(tx, integrationId))) throw noToken();
          if (!(await stopHistory(tx, integrationId, null)))
            throw new AppError('conflict', { detail: 'No history is being read.' });
        }),
    }),
  ];
}

function noToken(): AppError {
  return new AppError('forge_not_connected', { detail: 'This integration has no access token for a forge.' });
}

function notLinked(): AppError {
  return new AppError('not_found', { detail: 'The installation is not linked to this integration.' });
}
