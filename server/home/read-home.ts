import { maxHomeIntegrations, maxHomeItems as most, type Home } from '#contract/integrations/home.ts';
import { isRed } from '#contract/runs/conclusions.ts';
import type { Database, Tx } from '#platform/database/database.ts';
import { readIncidents } from '#server/alerts/incidents/reading/read-history.ts';
import { readRedBranches } from '#server/alerts/incidents/reading/read-red-branches.ts';
import { integrationIdsOf } from '#server/members/memberships-of-user.ts';
import { readOpenPullRequests } from '#server/pull-requests/list-my-pull-requests.ts';
import { readWorkflowStates } from '#server/runs/latest/workflow-states.ts';
import { runObject, type RunRow } from '#server/runs/objects/run.ts';
import {
  listIntegrationNumbers,
  listIntegrationsWithOwnIncidents,
  listOwnFailedRuns,
  listOwnOpenRuns,
} from './home-store.ts';

/** What concerns the caller in all their integrations. */
export async function readHome(db: Database, userId: string, now: number): Promise<Home> {
  const all = await integrationIdsOf(db, userId);
  const integrationIds = all.slice(0, maxHomeIntegrations);
  return db.withScope(
    { integrationIds },
    async (tx) => {
      const [{ forgeLogin, pullRequests }, waiting, states, numbers] = await Promise.all([
        readOpenPullRequests(tx, integrationIds, userId, most),
        readOwnIncidents(tx, integrationIds, userId, now),
        readStates(tx, integrationIds, now),
        listIntegrationNumbers(tx, integrationIds, userId),
      ]);
      return {
        forgeLogin,
        waiting,
        ...(await readOwnRuns(tx, integrationIds, forgeLogin)),
        pullRequests,
        red: states
          .flatMap(({ integrationId, red }) => red.map((branch) => ({ integrationId, ...branch })))
          .toSorted((a, b) => a.workflow.since.localeCompare(b.workflow.since))
          .slice(0, most),
        integrations: numbers.map((one) => {
          const state = states.find(({ integrationId }) => integrationId === one.integrationId);
          return {
            ...one,
            workflows: state?.workflows ?? 0,
            red: state?.reds ?? 0,
            lastRunAt: one.lastRunAt?.toISOString() ?? null,
          };
        }),
        isComplete: integrationIds.length === all.length,
      };
    },
    { snapshot: true },
  );
}

async function readOwnRuns(
  tx: Tx,
  integrationIds: readonly string[],
  login: string | null,
): Promise<Pick<Home, 'running' | 'failed'>> {
  if (login === null) return { running: [], failed: [] };
  const [running, failed] = await Promise.all([
    listOwnOpenRuns(tx, integrationIds, login, most),
    listOwnFailedRuns(tx, integrationIds, login, most),
  ]);
  return { running: running.map(ownRun), failed: failed.map(ownRun) };
}

const ownRun = (row: RunRow) => ({ integrationId: row.integrationId, run: runObject(row) });

async function readOwnIncidents(
  tx: Tx,
  integrationIds: readonly string[],
  userId: string,
  now: number,
): Promise<Home['waiting']> {
  const some = await listIntegrationsWithOwnIncidents(tx, integrationIds, userId);
  const query = { status: 'open', show: 'mine', limit: most } as const;
  const lists = await Promise.all(
    some.map(async (integrationId) => {
      const { items } = await readIncidents(tx, { integrationId, userId }, query, now);
      return items
        .filter(({ snoozedUntil }) => snoozedUntil === null)
        .map((incident) => ({ integrationId, incident }));
    }),
  );
  return lists
    .flat()
    .toSorted((a, b) => b.incident.openedAt.localeCompare(a.incident.openedAt))
    .slice(0, most);
}

function readStates(tx: Tx, integrationIds: readonly string[], now: number) {
  return Promise.all(
    integrationIds.map(async (integrationId) => {
      const states = await readWorkflowStates(tx, integrationId, { now });
      const decided = states.flatMap(({ last }) => last ?? []);
      return {
        integrationId,
        workflows: decided.length,
        reds: decided.filter(({ conclusion }) => isRed(conclusion)).length,
        red: await readRedBranches(tx, integrationId, { states, now }, most),
      };
    }),
  );
}
