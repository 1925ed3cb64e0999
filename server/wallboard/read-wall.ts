import type { Wall, WallFilter } from '#contract/integrations/wallboard.ts';
import type { Database } from '#platform/database/database.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import { findLabel, listWallRuns, type WallRun } from './wall-store.ts';
import { inOrder, tileOf } from './tile.ts';

export async function readWall(
  { db, clock, version }: { db: Database; clock: Clock; version: string },
  integrationId: string,
  filter: WallFilter,
): Promise<Wall> {
  const [label, runs] = await db.withScope({ integrationId }, (tx) =>
    Promise.all([findLabel(tx, integrationId), listWallRuns(tx, integrationId, filter)]),
  );
  const workflows = Map.groupBy(runs, ({ repository, workflow }) => JSON.stringify([repository, workflow]));
  const tiles = [...workflows.values()].map((ofOne) => tileOf(ofOne as [WallRun, ...WallRun[]]));
  return { version, label, at: new Date(clock()).toISOString(), tiles: inOrder(tiles) };
}

/** For people without an account: texts of other people may contain e-mail addresses. */
export function withoutAddresses(wall: Wall): Wall {
  return {
    ...wall,
    tiles: wall.tiles.map((tile) => ({
      ...tile,
      last: tile.last && {
        ...tile.last,
        title: hideAddresses(tile.last.title),
        actor: hideAddresses(tile.last.actor),
        errorLine: hideAddresses(tile.last.errorLine),
      },
    })),
  };
}

function hideAddresses(text: string | null): string | null {
  return text?.replaceAll(/\S+/g, (word) => (word.indexOf('@') > 0 ? '…' : word)) ?? null;
}
