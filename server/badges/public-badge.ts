import { createHash } from 'node:crypto';
import { visibleText } from '#contract/base/plain-text.ts';
import type { BadgeEndpoint } from '#contract/integrations/badges.ts';
import type { Database } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { readShownNames } from '#server/runs/names/shown-names.ts';
import { readWorkflowStates } from '#server/runs/latest/workflow-states.ts';
import { findBadge } from './store.ts';

/** Longer names are cut, because an image grows with them. */
const maxLabel = 60;

/** What everybody may see: the name of the workflow and whether it passes. @throws AppError `not_found` */
export async function readPublicBadge(db: Database, badgeId: string): Promise<BadgeEndpoint> {
  const secretHash = createHash('sha256').update(badgeId).digest('hex');
  const badge = await db.withScope({ secretHash }, findBadge);
  if (badge === undefined) throw new AppError('not_found', { detail: 'Badge not found.' });
  const { integrationId, repository, workflow, branch } = badge;
  const [names, [state]] = await db.withScope({ integrationId }, (tx) =>
    Promise.all([
      readShownNames(tx, [integrationId]),
      readWorkflowStates(tx, integrationId, {
        names: [{ repository, workflow }],
        branch: branch ?? undefined,
      }),
    ]),
  );
  const shown = names.workflow(integrationId, repository, workflow);
  return { schemaVersion: 1, label: labelOf(shown), ...stateOf(state?.last?.conclusion ?? null) };
}

/** Without characters that XML cannot contain. */
export function labelOf(workflow: string): string {
  const shown = visibleText(workflow).replaceAll(/[\ufffe\uffff]/g, '');
  return shown.length > maxLabel ? `${visibleText(shown.slice(0, maxLabel - 1))}…` : shown;
}

function stateOf(conclusion: string | null): Omit<BadgeEndpoint, 'schemaVersion' | 'label'> {
  if (conclusion === null) return { message: 'no result', color: 'lightgrey', isError: false };
  if (conclusion === 'success') return { message: 'passing', color: 'brightgreen', isError: false };
  return { message: 'failing', color: 'red', isError: true };
}

/** The library holds the width of each character: 1.7 MiB, loaded by the first badge. */
export async function drawBadge({ label, message, color }: BadgeEndpoint): Promise<string> {
  const { makeBadge } = await import('badge-maker');
  return makeBadge({ label, message, color });
}
