import { minuteMs } from '#platform/runtime/time-units.ts';
import type { Database, Tx } from '#platform/database/database.ts';
import { sentAhead } from '#platform/database/database.ts';
import { storableText } from '#platform/database/rows/storable-text.ts';
import { refusalOf } from '#server/forges/errors.ts';
import type { Forge, Forges } from '#server/forges/port.ts';
import type { RunRow } from '#server/runs/objects/run.ts';
import type { Turn } from '#server/tasks/task.ts';
import {
  deleteOldRequired,
  listRequested,
  requestOfCommits,
  storeRequired,
  type Required,
} from './required-store.ts';

export { deleteOldRequired };

export interface ReadRequiredDeps {
  db: Database;
  forges: Pick<Forges, 'ofConnection'>;
}

interface ReadRequiredTask {
  integrationId: string;
  installationId: string | null;
  isSuspended: boolean;
  isGone: boolean;
}

const branchesAtOnce = 20;
const maxChecks = 200;
const maxLength = 255;

/** In the transaction that stores runs that ended. Does not wait: a failed statement fails the commit. */
export function requestRequiredChecks(tx: Tx, runs: readonly RunRow[]): void {
  const commits = runs.flatMap(({ integrationId, repository, headSha, onDefaultBranch }) =>
    headSha === null || onDefaultBranch ? [] : [{ integrationId, repository, headSha }],
  );
  if (commits.length > 0) void sentAhead(requestOfCommits(tx, commits));
}

/** Reads which checks branches require, through one connection. Returns the delay until the next turn; undefined for none. */
export async function readRequiredChecks(
  { db, forges }: ReadRequiredDeps,
  { integrationId, installationId, isSuspended, isGone }: ReadRequiredTask,
  turn: Turn,
): Promise<number | undefined> {
  if (isSuspended || isGone) return 10 * minuteMs;
  const scope = { integrationId };
  const requested = await db.withScope(scope, (tx) =>
    listRequested(tx, integrationId, installationId, branchesAtOnce),
  );
  if (requested.length === 0) return undefined;
  const forge = await forges.ofConnection(integrationId, installationId);
  for (const base of requested) {
    const required = await readOne(forge, base.fullName, base.branch);
    turn.signal.throwIfAborted();
    await db.withScope(scope, (tx) => storeRequired(tx, integrationId, base, required));
    if (turn.isLong()) return 0;
  }
  return requested.length === branchesAtOnce ? 0 : undefined;
}

/** Undefined when the forge refuses. @throws what concerns all branches of the connection */
async function readOne(forge: Forge, repository: string, branch: string): Promise<Required | undefined> {
  try {
    const { checks, arePatterns } = await forge.readRequiredChecks(repository, branch);
    const names = new Set(checks.flatMap((check) => storableText(check, maxLength) ?? []));
    return { checks: [...names].slice(0, maxChecks), arePatterns };
  } catch (error) {
    if (refusalOf(error) === undefined) throw error;
    return undefined;
  }
}
