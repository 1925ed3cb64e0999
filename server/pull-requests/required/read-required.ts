import { sentAhead, type Tx } from '#platform/database/database.ts';
import { storableText } from '#platform/database/rows/storable-text.ts';
import { readWaiting, type ReadWaitingDeps } from '#server/forge-tasks/read-waiting.ts';
import type { Connection } from '#server/forge-tasks/task-kind.ts';
import type { Forge } from '#server/forges/port.ts';
import type { RunRow } from '#server/runs/objects/run.ts';
import type { Turn } from '#server/tasks/task.ts';
import {
  deleteOldRequired,
  listRequested,
  requestOfCommits,
  storeRequired,
  type RequestedBranch,
  type Required,
} from './required-store.ts';

export { deleteOldRequired };

const maxChecks = 200;
const maxLength = 255;

/** In the transaction that stores runs that ended. Does not wait: a failed statement fails the commit. */
export function requestRequiredChecks(tx: Tx, runs: readonly RunRow[]): void {
  const commits = runs.flatMap(({ integrationId, repository, headSha, onDefaultBranch }) =>
    headSha === null || onDefaultBranch ? [] : [{ integrationId, repository, headSha }],
  );
  if (commits.length > 0) void sentAhead(requestOfCommits(tx, commits));
}

/** Reads which checks branches require, through one connection. */
export function readRequiredChecks(
  deps: ReadWaitingDeps,
  connection: Connection,
  turn: Turn,
): Promise<number | undefined> {
  return readWaiting(deps, connection, turn, { list: listRequested, read: readOne, store: storeRequired });
}

async function readOne(forge: Forge, { fullName, branch }: RequestedBranch): Promise<Required> {
  const { checks, arePatterns } = await forge.readRequiredChecks(fullName, branch);
  const names = new Set(checks.flatMap((check) => storableText(check, maxLength) ?? []));
  return { checks: [...names].slice(0, maxChecks), arePatterns };
}
