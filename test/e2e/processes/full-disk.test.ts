import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { rm, statfs, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, test, type TestContext } from 'node:test';
import type { Problem } from '#contract/base/errors.ts';
import { freePort } from '#platform/runtime/processes/free-port.ts';
import type { CreatedIntegration } from '#server/integrations/create-integration.ts';
import type { Finding } from '#server/commands/doctor/finding.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { makeEnterableDirectory } from '#test/support/product/enterable-directory.ts';
import { runProduct, startProduct } from '#test/support/product/product-process.ts';
import { startTestProgram } from '#test/support/product/test-program.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { directory, remove } = await makeEnterableDirectory('full-disk');
after(remove);

/** `serve` with the packaged Postgres, and an integration. */
async function startServe(t: TestContext, dataDir: string, more: NodeJS.ProcessEnv = {}) {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const env = {
    DATA_DIR: dataDir,
    DATABASE_URL: '',
    PORT: String(port),
    PUBLIC_URL: `http://localhost:${port}`,
    METRICS_PORT: String(metricsPort),
    LOG_LEVEL: 'info',
    ...more,
  };
  const product = await startProduct('serve', env);
  t.after(() => product.stop());
  const made = await runProduct(['integration', 'create', '--label', 'Disk'], env);
  assert.equal(made.code, 0, made.stderr);
  const integration = JSON.parse(made.stdout) as CreatedIntegration;
  const baseUrl = `http://localhost:${port}`;
  return {
    product,
    post: (id = 1) =>
      postWebhook(baseUrl, integration, { event: 'workflow_run', payload: runPayload({ id }) }),
    ready: () => fetch(`${baseUrl}/readyz`),
    metrics: async () => (await fetch(`http://localhost:${metricsPort}/metrics`)).text(),
    doctor: async () => {
      const { stdout } = await runProduct(['doctor', '--json'], env);
      return (JSON.parse(stdout) as Finding[]).find(({ check }) => check === 'disk');
    },
  };
}

const linesWith = (text: string, wanted: string): number =>
  text.split('\n').filter((line) => line.includes(wanted)).length;

test('webhooks get 503 while less than MIN_FREE_DISK_BYTES are free, and readyz, metrics, log and doctor name the disk', async (t) => {
  const dataDir = path.join(directory, 'small');
  const full = await startServe(t, dataDir, { MIN_FREE_DISK_BYTES: String(2 ** 52) });
  for (let id = 0; id < 20; id += 1) {
    const answer = await full.post(id);
    const { code, detail } = (await answer.json()) as Problem;
    assert.deepEqual([answer.status, code, answer.headers.get('retry-after')], [503, 'storage_full', '60']);
    assert.match(detail, /[\d.]+ [GT]iB of [\d.]+ [GT]iB are free on the disk.*4096 TiB must stay free/);
  }
  const ready = await full.ready();
  assert.equal(ready.status, 503);
  assert.match(((await ready.json()) as Problem).detail, /are free on the disk.*MIN_FREE_DISK_BYTES/);
  const metrics = await full.metrics();
  assert.match(metrics, /^forgewatch_storage_full 1$/m);
  assert.match(metrics, /^forgewatch_disk_free_bytes [1-9]\d*$/m);
  assert.match(metrics, /^forgewatch_webhooks_total\{outcome="storage_full"\} 20$/m);
  const finding = await full.doctor();
  assert.equal(finding?.verdict, 'wrong');
  assert.ok(finding.text.includes(dataDir), finding.text);
  const log = full.product.stderr();
  assert.equal(linesWith(log, 'disk is nearly full'), 1);
  assert.equal(linesWith(log, '"stack"'), 0, log);
});

test('a full disk of DATABASE_URL is told by its error, and webhooks are accepted again afterwards', async () => {
  const program = await startTestProgram({}, ['api']);
  const { baseUrl, database } = program;
  const integration = await program.createIntegration();
  const post = () => postWebhook(baseUrl, integration, { event: 'workflow_run', payload: runPayload() });
  const ready = async (): Promise<Problem> => (await (await fetch(`${baseUrl}/readyz`)).json()) as Problem;
  await database.asOwner(`create function no_space() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file' using errcode = '53100'; end $$`);
  await database.asOwner(
    'create trigger no_space before insert on queue_segment for each row execute function no_space()',
  );
  for (let times = 0; times < 10; times += 1) {
    const answer = await post();
    assert.deepEqual([answer.status, ((await answer.json()) as Problem).code], [503, 'storage_full']);
  }
  assert.deepEqual([(await ready()).code, (await ready()).status], ['storage_full', 503]);
  assert.match((await ready()).detail, /the database reports that its disk is full \(SQLSTATE 53100\)/);
  await database.asOwner('drop trigger no_space on queue_segment');
  await waitUntil('webhooks to be accepted', async () => (await post()).status === 200);
  assert.equal(linesWith(program.logged(), '"stack"'), 1);
});

const mountable =
  process.getuid?.() === 0 && spawnSync('mount', ['--help'], { stdio: 'ignore' }).status === 0;

/** A small disk in memory. Undefined where this account cannot mount one. */
function mountDisk(t: TestContext, at: string): boolean {
  execFileSync('mkdir', ['-p', at]);
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=400m,mode=755', 'tmpfs', at]).status === 0;
  // Its files are closed later, when the product has stopped.
  if (isMounted) t.after(() => void spawnSync('umount', ['--lazy', at]));
  return isMounted;
}

test(
  'webhooks are accepted again once there is space, and none that was accepted is lost',
  { skip: !mountable },
  async (t) => {
    const disk = path.join(directory, 'disk');
    if (!mountDisk(t, disk)) return t.skip('no disk can be mounted');
    const { post, ready, metrics, doctor, product } = await startServe(t, path.join(disk, 'data'));
    let accepted = 0;
    const tryPost = async (): Promise<number> => {
      const { status } = await post(accepted + 1);
      if (status === 200) accepted += 1;
      return status;
    };
    const untilAllStored = (): Promise<unknown> =>
      waitUntil('what was accepted to be stored', async () =>
        (await metrics()).includes(`forgewatch_events_total{outcome="stored"} ${accepted}\n`),
      );
    assert.equal(await tryPost(), 200);
    assert.equal((await doctor())?.verdict, 'ok');

    const { bavail, bsize } = await statfs(disk);
    const filler = path.join(disk, 'filler');
    // 2 % of 400 MiB must stay free.
    await writeFile(filler, Buffer.alloc(bavail * bsize - 6 * 1024 * 1024));
    await waitUntil('webhooks to be refused', async () => (await tryPost()) === 503);
    assert.equal((await ready()).status, 503);
    await untilAllStored();

    await rm(filler);
    await waitUntil('webhooks to be accepted', async () => (await tryPost()) === 200);
    assert.equal((await ready()).status, 200);
    await untilAllStored();
    const log = product.stderr();
    assert.equal(linesWith(log, 'disk is nearly full'), 1);
    assert.equal(linesWith(log, 'disk has space again'), 1);
  },
);
