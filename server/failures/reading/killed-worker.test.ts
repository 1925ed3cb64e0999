import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, test } from 'node:test';
import { postFailedJob } from '#test/support/data/failed-job.ts';
import { ageRows } from '#test/support/database/rows.ts';
import { untilLogIs } from '#test/support/forge/failed-log.ts';
import { startGitea } from '#test/support/forge/gitea-server.ts';
import { productEnv } from '#test/support/product/product-env.ts';
import { startProduct, type ProductProcess } from '#test/support/product/product-process.ts';
import { startTeamProduct } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { makeTemporaryDirectory } from '#test/support/product/temporary-directory.ts';

const gitea = await startGitea();
const env = { ALERT_ALLOWED_NETWORKS: '127.0.0.0/8', ALERT_ALLOWED_PORTS: `443,${gitea.port}` };
const { database, baseUrl, newTeam } = await startTeamProduct(env, ['api']);
const dataDir = await makeTemporaryDirectory();
const workers: ProductProcess[] = [];
after(() => Promise.all(workers.map((worker) => worker.kill())));

async function startWorker(): Promise<ProductProcess> {
  const worker = await startProduct('worker', { ...productEnv(database.url, dataDir), ...env });
  workers.push(worker);
  return worker;
}

test('a log that a killed worker was reading is read by another one after the leases of both', async () => {
  const team = await newTeam();
  const connection = team.path('/forge-connection');
  const body = { forge: 'gitea', url: gitea.url, token: gitea.token };
  assert.equal((await team.admin.call('PUT', connection, body)).status, 204);
  const chosen = { repositories: ['acme/site'] };
  assert.equal((await team.admin.call('PUT', `${connection}/repositories`, chosen)).status, 204);
  const hanging: ServerResponse[] = [];
  gitea.log = (_request, response) => void hanging.push(response);

  const first = await startWorker();
  await postFailedJob(baseUrl, team, { id: 1, step: 'Run npm test' });
  await waitUntil('the forge to be asked for the log', () => hanging.length > 0);
  await first.kill();

  gitea.log = '\nError: it broke in the parser\n';
  await startWorker();
  const ofTask = { integration_id: team.integrationId, kind: 'forge-logs' };
  for (const column of ['leased_until', 'due_at'] as const)
    await ageRows(database, `tasks.${column}`, '60 seconds', ofTask);
  await ageRows(database, 'forge_budgets.call_until', '30 seconds', {
    connection: `token:${team.integrationId}`,
  });
  const failure = await untilLogIs(team, 1, 'read');
  assert.match(failure.errorLine, /it broke in the parser/);
});
