import { Type } from 'typebox';
import { Uuid } from '#contract/base/schema.ts';
import {
  JobLog,
  JobLogLines,
  JobLogLinesQuery,
  JobLogMatches,
  JobLogSearchQuery,
  JobLogTextQuery,
  LogAccess,
} from '#contract/failures/job-log.ts';
import { forgeErrors } from '#server/forges/explain-failure.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { withRole, type Actor } from '#server/members/locks/lock-member-role.ts';
import type { Database } from '#platform/database/database.ts';
import type { Role } from '#contract/members/roles.ts';
import { route, type Route } from '#server/route.ts';
import { findLogRole, replaceLogRole } from './job-log-store.ts';
import { jobLogOf, openLog, type OpenLogDeps } from './open-log.ts';
import { makeLogReader, type ReadLogDeps } from './read-from-forge.ts';
import { logText, readLines, searchLines } from './stored-lines.ts';

const base = '/api/integrations/:integrationId';
const path = `${base}/workflows/:runId/jobs/:jobId/log`;
const id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
const params = Type.Object({ integrationId: Uuid, runId: id, jobId: id });
const access = { role: 'viewer' } as const;
const errors = ['log_expired', 'quota_exceeded', 'forge_not_connected', ...forgeErrors] as const;
/** Scrolling reads a page of lines for each screen. */
const rateLimits = [{ perMinute: 600, by: 'caller' as const }];
/** These read the whole log. */
const wholeLimits = [{ perMinute: 60, by: 'caller' as const }];

export function jobLogRoutes(shared: ReadLogDeps): Route[] {
  const deps: OpenLogDeps = { ...shared, reader: makeLogReader(shared) };
  return [...pageRoutes(deps), ...wholeRoutes(deps), ...accessRoutes(deps)];
}

function pageRoutes(deps: OpenLogDeps): Route[] {
  return [
    route('GET', path, {
      access,
      summary: 'Get the state of a job’s log with its steps, groups and error lines; reads it from the forge',
      params,
      rateLimits,
      errors,
      answer: { schema: JobLog },
      handle: async ({ actor, params: at }) => jobLogOf(deps, await openLog(deps, actor, at)),
    }),
    route('GET', `${path}/lines`, {
      access,
      summary: 'List lines of a job’s log by their numbers, in colours and with secrets masked',
      params,
      query: JobLogLinesQuery,
      rateLimits,
      errors,
      answer: { schema: JobLogLines },
      handle: async ({ actor, params: at, query: { from = 1, limit = 100 } }) =>
        readLines(deps, await openLog(deps, actor, at), from, limit),
    }),
  ];
}

function wholeRoutes(deps: OpenLogDeps): Route[] {
  return [
    route('GET', `${path}/search`, {
      access,
      summary: 'List the numbers of the lines of a job’s log that contain a text',
      params,
      query: JobLogSearchQuery,
      rateLimits: wholeLimits,
      errors,
      answer: { schema: JobLogMatches },
      handle: async ({ actor, params: at, query: { q } }) =>
        searchLines(deps, await openLog(deps, actor, at), q),
    }),
    route('GET', `${path}/text`, {
      access,
      summary: 'Download a job’s log as text with secrets masked, as it arrives from the forge',
      params,
      query: JobLogTextQuery,
      rateLimits: wholeLimits,
      errors,
      answer: { contentType: 'text/plain; charset=utf-8' },
      handle: async ({ actor, params: at, query: { from = 1, colour = false }, reply }) => {
        const log = await openLog(deps, actor, at);
        void reply.header('content-disposition', `attachment; filename="job-${at.jobId}.log"`);
        return logText(deps, log, from, colour);
      },
    }),
  ];
}

function accessRoutes(deps: OpenLogDeps): Route[] {
  return [
    route('GET', `${base}/log-access`, {
      access,
      summary: 'Get the lowest role that may read logs of jobs',
      answer: { schema: LogAccess },
      handle: ({ params: { integrationId } }) => readLogAccess(deps, integrationId),
    }),
    route('PUT', `${base}/log-access`, {
      access: { role: 'admin' },
      summary: 'Change the lowest role that may read logs of jobs',
      body: LogAccess,
      answer: { schema: LogAccess },
      handle: ({ actor, body: { role } }) => changeLogAccess(deps, actor, role),
    }),
  ];
}

async function readLogAccess({ db }: { db: Database }, integrationId: string): Promise<LogAccess> {
  return {
    role: (await db.withScope({ integrationId }, (tx) => findLogRole(tx, integrationId))) ?? 'viewer',
  };
}

async function changeLogAccess({ db }: { db: Database }, actor: Actor, role: Role): Promise<LogAccess> {
  await withRole(db, actor, 'admin', async (tx) => {
    const former = await replaceLogRole(tx, actor.integrationId, role);
    if (former === undefined || former === role) return;
    await addLogEntry(tx, {
      ...actor,
      type: 'integration.log_access_changed',
      title: `Logs of jobs need the role ${role}`,
      details: { from: former, to: role },
    });
  });
  return { role };
}
