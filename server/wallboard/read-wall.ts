import { splitValues } from '#contract/base/value-list.ts';
import { maxTiles, type Wall, type WallFilter } from '#contract/integrations/wallboard.ts';
import type { Database } from '#platform/database/database.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import { isRed } from '#contract/runs/conclusions.ts';
import { readTriages } from '#server/alerts/incidents/reading/read-red-branches.ts';
import { readRedStreaks } from '#server/failures/blame/blame.ts';
import { readLabel } from '#server/runs/latest/workflow-states.ts';
import { readWorkflowStates } from '#server/runs/latest/workflow-states.ts';
import { listWallTimes } from './wall-store.ts';
import { inOrder, tileOf } from './tile.ts';

export async function readWall(
  { db, clock, version }: { db: Database; clock: Clock; version: string },
  integrationId: string,
  filter: WallFilter,
): Promise<Wall> {
  const { label, tiles } = await db.withScope({ integrationId }, async (tx) => {
    const [name, states] = await Promise.all([
      readLabel(tx, integrationId),
      readWorkflowStates(tx, integrationId, {
        repositories: valuesOf(filter.repository),
        workflows: valuesOf(filter.workflow),
        most: maxTiles,
      }),
    ]);
    const red = states.flatMap(({ last }) => (last !== null && isRed(last.conclusion) ? [last.runId] : []));
    const [streaks, times, triages] = await Promise.all([
      readRedStreaks(tx, integrationId, red),
      listWallTimes(tx, integrationId, states),
      readTriages(
        tx,
        integrationId,
        states.map(({ repository, workflow, last }) => ({
          repository,
          workflow,
          branch: last?.branch ?? null,
        })),
        clock(),
      ),
    ]);
    return {
      label: name,
      tiles: states.map((state, index) =>
        tileOf(
          state,
          state.last === null ? undefined : streaks.get(state.last.runId),
          times[index],
          triages[index],
        ),
      ),
    };
  });
  return { version, label, at: new Date(clock()).toISOString(), tiles: inOrder(tiles) };
}

function valuesOf(list: string | undefined): string[] | undefined {
  return list === undefined ? undefined : splitValues(list);
}

/** For people without an account: texts of other people may contain e-mail addresses, and members are not named. */
export function withoutAddresses(wall: Wall): Wall {
  return {
    ...wall,
    tiles: wall.tiles.map((tile) => ({
      ...tile,
      last: tile.last && {
        ...tile.last,
        title: hideAddresses(tile.last.title),
        errorLine: hideAddresses(tile.last.errorLine),
      },
      firstBad: tile.firstBad && {
        ...tile.firstBad,
        title: hideAddresses(tile.firstBad.title),
        actor: hideAddresses(tile.firstBad.actor),
      },
      handledBy: tile.handledBy && { name: null },
    })),
  };
}

function hideAddresses(text: string | null): string | null {
  return text?.replaceAll(/\S+/g, (word) => (word.indexOf('@') > 0 ? '…' : word)) ?? null;
}
