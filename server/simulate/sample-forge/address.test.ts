import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import pino from 'pino';
import { makeSampleForge, type SampleForge } from './sample-forge.ts';

const publicUrl = `http://${randomUUID()}.test`;
const running: SampleForge[] = [];
after(() => Promise.all(running.map((forge) => forge.stop())));

async function start(): Promise<SampleForge> {
  const forge = await makeSampleForge({
    clock: Date.now,
    log: pino({ enabled: false }),
    masterKeys: [randomBytes(32)],
    publicUrl,
  });
  running.push(forge);
  return forge;
}

test('the forge of sample traffic keeps its address over a restart', async () => {
  const first = await start();
  await first.stop();
  const again = await start();
  assert.equal(again.url, first.url);
  await again.stop();
});

test('two programs with the same public URL can start at the same time', async () => {
  const [one, other] = await Promise.all([start(), start()]);
  assert.notEqual(one.url, other.url);
  for (const { url } of [one, other]) assert.equal((await fetch(new URL('/user', url))).status, 401);
});
