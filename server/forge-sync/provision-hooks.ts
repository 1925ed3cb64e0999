import { createHash } from 'node:crypto';
import { queuedEvents } from '#contract/integrations.ts';
import type { Database } from '#platform/database/database.ts';
import { statusOf } from '#server/forge-app/forge-client.ts';
import type { WebhookSecrets } from '#server/integrations/webhook-secret.ts';
import type { KeepLease } from './task.ts';
import { deleteDuty, type Duty } from './task-store.ts';
import type { Hook, RepositoryApi } from './repository-api.ts';
import {
  forgetRepositories,
  forgetRepository,
  keepRepositories,
  listHooks,
  listHooksToSave,
  markHook,
  markRefused,
  type HookRow,
} from './store.ts';
import { dayMs } from '#platform/runtime/time-units.ts';

export interface ProvisionDeps {
  db: Database;
  api: RepositoryApi;
  /** Where the forge posts an integration's events to. */
  hookUrl(integrationId: string): string;
  /** Undefined when there is no such integration any more. */
  readSecrets(integrationId: string): Promise<WebhookSecrets | undefined>;
}

/** Some ten seconds of calls, so that other integrations have their turn. */
const hooksInTurn = 50;
/** A refused removal is tried hourly, for a day: for as long as hooks of a deleted integration are known. */
const mostRefusedTurns = 24;

/**
 * Gives each repository of a linked installation a hook, keeps it in step with the integration's secret and events, and
 * takes it away when the link is gone. Answers when the next turn is due.
 */
export async function provisionHooks(
  deps: ProvisionDeps,
  duty: Duty,
  keepLease: KeepLease,
): Promise<number | undefined> {
  const secrets = duty.isLinked ? await deps.readSecrets(duty.integrationId) : undefined;
  // Its end makes the duty due at once.
  if (duty.isSuspended && !duty.isGone) return dayMs;
  if (secrets === undefined) return removeHooks(deps, duty, keepLease);
  if (duty.isGone) return dayMs;
  const { db, api } = deps;
  const { integrationId, installationId } = duty;
  const hook = hookFor(deps.hookUrl(integrationId), secrets);
  const digest = digestOf(hook);
  const found = await api.listRepositories(installationId);
  const rows = await db.withScope({ integrationId }, async (tx) => {
    await keepRepositories(tx, duty, found);
    return listHooksToSave(tx, duty, digest, hooksInTurn);
  });
  for (const row of rows) {
    await keepLease();
    const saved = await saveHook(deps, installationId, row, hook);
    await db.withScope({ integrationId }, (tx) => markHook(tx, duty, row.repository, { ...saved, digest }));
  }
  return rows.length === hooksInTurn ? 0 : dayMs;
}

/** Forges refuse a hook without events, so one of an integration that takes none is switched off. */
function hookFor(url: string, { current, events }: WebhookSecrets): Hook {
  const taken = queuedEvents.filter((event) => events.has(event));
  return {
    url,
    secret: current.toString(),
    events: taken.length > 0 ? taken : queuedEvents,
    isActive: taken.length > 0,
  };
}

function digestOf({ url, secret, events, isActive }: Hook): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([url, secret, events, isActive]))
    .digest();
}

/** What a repository of its own refuses is told of beside it, and holds up no other. */
async function saveHook(
  { api }: ProvisionDeps,
  installationId: string,
  { repository, hook_id: hookId }: HookRow,
  hook: Hook,
): Promise<{ hookId: number | undefined; error: string | null }> {
  try {
    const known = hookId === null ? undefined : Number(hookId);
    return { hookId: await api.saveHook(installationId, repository, hook, known), error: null };
  } catch (error) {
    const text = refusals[statusOf(error) ?? 0];
    if (text === undefined) throw error;
    return { hookId: undefined, error: text };
  }
}

const refusals: Record<number, string | undefined> = {
  403: 'The forge refuses: the application needs the permission to write repository webhooks.',
  404: 'The forge refuses: the application needs the permission to write repository webhooks.',
  422: 'The forge refuses the address: PUBLIC_URL must be one that the forge can reach.',
};

/**
 * What the forge refuses to take away holds up no other and is tried again. An application that is uninstalled can take
 * nothing away: its hooks stay until somebody removes them at the forge.
 */
async function removeHooks(
  { db, api }: ProvisionDeps,
  duty: Duty,
  keepLease: KeepLease,
): Promise<number | undefined> {
  const { integrationId, installationId } = duty;
  const rows = duty.isGone
    ? []
    : await db.withScope({ integrationId }, (tx) => listHooks(tx, duty, hooksInTurn));
  const refused: unknown[] = [];
  for (const { repository, hook_id: hookId } of rows) {
    await keepLease();
    const refusal = await removeHook(api, installationId, repository, Number(hookId));
    if (refusal !== undefined) refused.push(refusal);
    await db.withScope({ integrationId }, (tx) =>
      refusal === undefined ? forgetRepository(tx, duty, repository) : markRefused(tx, duty, repository),
    );
  }
  if (rows.length === hooksInTurn && refused.length < rows.length) return 0;
  if (refused.length > 0 && duty.failures < mostRefusedTurns) throw refused[0];
  await db.withScope({ integrationId }, async (tx) => {
    await forgetRepositories(tx, duty);
    await deleteDuty(tx, duty);
  });
  return undefined;
}

/** The forge's refusal, as for an archived repository or while the permission is missing; undefined when the hook is gone. */
async function removeHook(
  api: RepositoryApi,
  installationId: string,
  repository: string,
  hookId: number,
): Promise<unknown> {
  try {
    await api.removeHook(installationId, repository, hookId);
    return undefined;
  } catch (error) {
    if (refusals[statusOf(error) ?? 0] === undefined) throw error;
    return error;
  }
}
