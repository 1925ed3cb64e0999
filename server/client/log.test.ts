import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failedRun, reportRun } from '#test/support/forge/failed-log.ts';
import { newRepository } from '#test/support/forge/forge-repositories.ts';
import { startLinkedProduct } from '#test/support/forge/linked-team.ts';
import { personalToken } from '#test/support/identity/token-client.ts';
import { runCommand } from '#test/support/product/run-command.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const linked = await startLinkedProduct();
const { product, newLinkedTeam } = linked;
const time = '2026-11-20T12:00:05.0000000Z ';

test('log prints the log of a job by its name or id, masked and without escape sequences', async () => {
  const repository = newRepository('octo-org/client-log');
  const team = await newLinkedTeam([repository]);
  await team.provisioned();
  const failed = failedRun(repository);
  const lines = ['\u001b[31mone\u001b[0m', '  two\tTOKEN=abcdefgh12345678', '##[error]three'];
  repository.logs.set(failed.job.id, lines.map((line) => `${time}${line}`).join('\n'));
  await reportRun(linked, team, repository, failed);
  const { token } = await personalToken(product, team.viewer, { scopes: ['read'] });
  const env = {
    FORGEWATCH_URL: product.publicUrl,
    FORGEWATCH_TOKEN: token,
    FORGEWATCH_INTEGRATION: team.integrationId,
  };
  const log = (...args: string[]) => runCommand(['log', String(failed.run.id), ...args], env);
  const { stdout } = await waitUntil('the job', async () => {
    const answer = await log('build');
    return answer.code === 0 && answer;
  });
  assert.equal(stdout, 'one\n  two\tTOKEN=***\n##[error]three\n');
  assert.equal((await log(String(failed.job.id), '--from', '3')).stdout, '##[error]three\n');
  const { lines: count, errorLines } = JSON.parse((await log('build', '--json')).stdout) as {
    lines: number;
    errorLines: number[];
  };
  assert.deepEqual([count, errorLines], [3, [3]]);
  const wrong = await log('lint');
  assert.deepEqual([wrong.code, wrong.stderr], [1, 'The run has no such job. It has:\n  build\n']);
  assert.equal((await log()).code, 2);
});
