import { startTeamProduct } from '#test/support/team/team.ts';
import { startGitea } from './gitea-server.ts';

/** The product beside a Gitea that it may call, and the body that connects an integration to it. */
export async function startGiteaProduct() {
  const gitea = await startGitea();
  const product = await startTeamProduct(
    {
      ALERT_ALLOWED_NETWORKS: '127.0.0.0/8',
      ALERT_ALLOWED_PORTS: `443,${gitea.port}`,
      API_REQUESTS_PER_MINUTE: '1000000',
    },
    ['api', 'worker'],
  );
  return { gitea, product, body: { forge: 'gitea', url: gitea.url, token: gitea.token } };
}
