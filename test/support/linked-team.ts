import assert from 'node:assert/strict';
import type { LinkedInstallation } from '#contract/forge-app.ts';
import { forgeAppEnv, startForgeApi } from './forge-api-server.ts';
import type { ForgeRepositoryState } from './forge-repositories.ts';
import { postWebhook } from './post-webhook.ts';
import { startTeamProduct } from './team.ts';
import { waitUntil } from './wait-until.ts';

/** The product as an application of a forge of our own. */
export async function startLinkedProduct() {
  const forge = await startForgeApi();
  const product = await startTeamProduct({ ...forgeAppEnv(forge), API_REQUESTS_PER_MINUTE: '1000000' }, [
    'api',
    'worker',
  ]);
  const { database, baseUrl } = product;

  const boss = { id: 1, login: 'owner' };
  forge.members = [boss];
  forge.admins.add(boss.id);
  let installationIds = 500;

  /** A team whose owner has linked an installation that sees these repositories. */
  async function newLinkedTeam(repositories: ForgeRepositoryState[], { linkNow = true } = {}) {
    const installationId = ++installationIds;
    const team = await product.newTeam(`Linked ${installationId}`);
    await database.asOwner(`update users set forge_id = ${boss.id} where user_id = '${team.owner.userId}'`);
    forge.installations.set(installationId, { ...forge.organization, type: 'Organization' });
    forge.repositories.set(installationId, repositories);
    const link = async () => {
      const setup = await team.owner.call('POST', team.path('/forge-app/setup'));
      const { status } = await team.owner.call('POST', team.path('/forge-app'), {
        installationId,
        proof: setup.body['proof'],
      });
      assert.equal(status, 201);
    };
    if (linkNow) await link();
    const state = async () => {
      const { body } = await team.viewer.call('GET', team.path('/forge-app'));
      return (body['installations'] as LinkedInstallation[])[0]!;
    };
    const provisioned = () => waitUntil('hooks', async () => (await state()).hooks.state === 'done');
    const runs = async () => {
      const { body } = await team.viewer.call('GET', team.path('/workflows?limit=100'));
      return body.items as { runId: number; status: string; conclusion: string | null; attempt: number }[];
    };
    const post = (payload: object, webhookSecret = team.webhookSecret) =>
      postWebhook(baseUrl, { ...team, webhookSecret }, { event: 'workflow_run', payload });
    return { ...team, installationId, link, state, provisioned, runs, post };
  }
  return { forge, product, newLinkedTeam };
}
