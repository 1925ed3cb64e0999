import assert from 'node:assert/strict';
import type { LinkedInstallation } from '#contract/integrations/forge-app.ts';
import { forgeAppEnv, startForgeApi } from './forge-api-server.ts';
import type { ForgeRepositoryState } from './forge-repositories.ts';
import { postAppWebhook, postWebhook } from './post-webhook.ts';
import { startTeamProduct } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { linkAccount } from '#test/support/team/people.ts';
import { runTaskNow } from './run-task-now.ts';

/** The product as an application of a forge of our own. */
export async function startLinkedProduct(env: Record<string, string> = {}) {
  const forge = await startForgeApi();
  const appSecret = 'the webhook secret of the application';
  const product = await startTeamProduct(
    {
      ...env,
      ...forgeAppEnv(forge),
      API_REQUESTS_PER_MINUTE: '1000000',
      FORGE_APP_WEBHOOK_SECRET: appSecret,
    },
    ['api', 'worker'],
  );
  const { database, baseUrl } = product;

  const boss = { id: 1, login: 'owner' };
  forge.members = [boss];
  forge.admins.add(boss.id);
  let installationIds = 500;

  /** A team whose owner has linked an installation that sees these repositories. */
  async function newLinkedTeam(repositories: ForgeRepositoryState[], { linkNow = true } = {}) {
    const installationId = ++installationIds;
    const team = await product.newTeam(`Linked ${installationId}`);
    await linkAccount(database, team.owner.userId, boss.id);
    forge.installations.set(installationId, { ...forge.organization, type: 'Organization' });
    forge.repositories.set(installationId, repositories);
    const link = async (installation = installationId) => {
      const setup = await team.owner.call('POST', team.path('/forge-app/setup'));
      const { status } = await team.owner.call('POST', team.path('/forge-app'), {
        installationId: installation,
        proof: setup.body['proof'],
      });
      assert.equal(status, 201);
    };
    if (linkNow) await link();
    const state = async () => {
      const { body } = await team.viewer.call('GET', team.path('/forge-app'));
      return (body['installations'] as LinkedInstallation[])[0]!;
    };
    const provisioned = () => waitUntil('webhooks', async () => (await state()).webhooks.state === 'done');
    /** The check for unfinished runs that the link asks for is over: in the middle of what a test sends it would see some of it. */
    const checked = () =>
      waitUntil('the first check', async () => {
        const over = await database.asOwner(
          `select from tasks where integration_id = $1 and kind = 'forge-unfinished' and leased_until is null and due_at > now()`,
          [team.integrationId],
        );
        return over.length === 1;
      });
    const checkAgain = () => runTaskNow(database, team.integrationId, 'forge-unfinished');
    const synced = () => waitUntil('members', async () => (await state()).sync.state === 'done');
    const syncAgain = async () => {
      const last = (await state()).sync.finishedAt;
      await team.admin.call('POST', team.path(`/forge-app/${installationId}/sync`));
      await waitUntil('another sync', async () => (await state()).sync.finishedAt !== last);
    };
    /** The application's webhook of an installation, with what its action tells of besides. */
    const tell = async (event: 'installation' | 'organization', action: string, about: object = {}) => {
      const account = { ...forge.organization, type: 'Organization' };
      const installation = { id: installationId, account };
      const payload = { action, installation, organization: account, ...about };
      assert.equal((await postAppWebhook(baseUrl, appSecret, { event, payload })).status, 200);
    };
    const runs = async () => {
      const { body } = await team.viewer.call('GET', team.path('/workflows?limit=100'));
      return body.items as { runId: number; status: string; conclusion: string | null; attempt: number }[];
    };
    const post = (payload: object, webhookSecret = team.webhookSecret) =>
      postWebhook(baseUrl, { ...team, webhookSecret }, { event: 'workflow_run', payload });
    return {
      ...team,
      installationId,
      link,
      state,
      provisioned,
      checked,
      checkAgain,
      synced,
      syncAgain,
      tell,
      runs,
      post,
    };
  }
  return { forge, product, appSecret, newLinkedTeam };
}
