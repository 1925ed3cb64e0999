import type { ForgeConnectionBody } from '#contract/integrations/forge-connection.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { endLinkTasks, startLinkTasks } from '#server/forge-tasks/request-tasks.ts';
import { explainFailure } from '#server/forges/explain-failure.ts';
import type { ForgeModule } from '#server/forges/make-forges.ts';
import type { ForgeAccount } from '#server/forges/port.ts';
import { tokenContext } from '#server/forges/tokens/open-token.ts';
import { apiUrlOf } from '#server/forges/tokens/token-forge.ts';
import { lockMemberRole, type Actor, withRole } from '#server/members/locks/lock-member-role.ts';
import { forgetRepositories, markRemoved, upsertConnection } from './store.ts';

export interface ConnectionDeps extends Pick<SharedDeps, 'db' | 'clock' | 'sealer'> {
  forges: Pick<ForgeModule, 'ofConnection' | 'ofToken' | 'refusal'>;
}

/** Saves or replaces the access token of an integration after the forge accepted it. @throws AppError */
export async function saveConnection(
  deps: ConnectionDeps,
  actor: Actor,
  { forge, url: entered, token }: ForgeConnectionBody,
): Promise<void> {
  const { db, sealer } = deps;
  const { integrationId } = actor;
  const url = webAddressOf(entered);
  await db.withScope({ integrationId }, (tx) => lockMemberRole(tx, actor, 'admin'));
  const account = await verify(deps, { forge, url, token });
  await withRole(db, actor, 'admin', async (tx) => {
    const sealedToken = sealer.seal(Buffer.from(token), tokenContext(integrationId));
    const { login, permissions, expiresAt } = account;
    const former = await upsertConnection(tx, integrationId, {
      forge,
      url,
      sealedToken,
      account: login,
      permissions,
      expiresAt,
    });
    if (former !== undefined && (former.url !== url || former.forge !== forge))
      await forgetRepositories(tx, integrationId);
    await startLinkTasks(tx, integrationId, null);
    await addLogEntry(tx, {
      ...actor,
      type: 'forge_connection.saved',
      severity: 'warning',
      title: `The access token of ${login} at ${new URL(url).host} was saved`,
      details: { forge, url, account: login },
    });
  });
}

/** Ends the connection. Its token is deleted when its webhooks are removed. @throws AppError */
export async function removeConnection({ db }: Pick<ConnectionDeps, 'db'>, actor: Actor): Promise<void> {
  const { integrationId } = actor;
  await withRole(db, actor, 'admin', async (tx) => {
    const account = await markRemoved(tx, integrationId);
    if (account === undefined) throw notConnected();
    await endLinkTasks(tx, integrationId, null);
    await addLogEntry(tx, {
      ...actor,
      type: 'forge_connection.removed',
      severity: 'warning',
      title: `The access token of ${account} was removed`,
      details: { account },
    });
  });
}

export function notConnected(): AppError {
  return new AppError('forge_not_connected', { detail: 'This integration has no access token for a forge.' });
}

/** Without the parts that do not name the forge. Gitea may be below a path. */
function webAddressOf(entered: string): string {
  if (!URL.canParse(entered))
    throw new AppError('invalid_request', {
      detail:
        'The address is not a URL. Enter the web address of the forge, such as https://git.example.com.',
    });
  const url = new URL(entered);
  url.search = '';
  url.hash = '';
  return url.href.replace(/\/+$/, '');
}

async function verify({ forges, clock }: ConnectionDeps, token: ForgeConnectionBody): Promise<ForgeAccount> {
  const refusal = forges.refusal(apiUrlOf(token.forge, token.url));
  if (refusal !== undefined) throw new AppError('forge_address_refused', { detail: refusal });
  const account = await forges
    .ofToken(token)
    .verifyAccount()
    .catch((error: unknown) => Promise.reject(explainFailure(error, 'The forge refused the access token: ')));
  if (account.expiresAt !== undefined && account.expiresAt.getTime() <= clock())
    throw new AppError('forge_refused', { detail: 'The access token has expired.' });
  return account;
}
