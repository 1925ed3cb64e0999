import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idAtForge, lastPlace, storedId } from '#server/runs/objects/forge-ids.ts';
import { byStoredIds } from './make-forges.ts';
import type { Forge } from './port.ts';

test('a forge is called by its own ids and the newest name of a repository', async () => {
  const calls: unknown[][] = [];
  const note = (...call: unknown[]): Promise<never[]> => {
    calls.push(call);
    return Promise.resolve([]);
  };
  const names = [
    'readRun',
    'readAttempt',
    'listJobs',
    'readJobLog',
    'listAnnotations',
    'rerunFailed',
    'rerunAll',
    'rerunJob',
    'cancel',
  ];
  const forge = byStoredIds(
    Object.fromEntries(names.map((name) => [name, note])) as unknown as Forge,
    'acme/shop',
  );
  const [run, job] = [storedId(5, 1), storedId(6, lastPlace)];
  await forge.readRun('acme/site', run);
  await forge.readAttempt('acme/site', run, 2);
  await forge.listJobs('acme/site', run);
  forge.readJobLog('acme/site', job, 'whole');
  await forge.listAnnotations('acme/site', job);
  await forge.rerunFailed('acme/site', run);
  await forge.rerunAll('acme/site', run);
  await forge.rerunJob('acme/site', run, job);
  await forge.cancel('acme/site', run);
  assert.deepEqual(calls, [
    ['acme/shop', 5],
    ['acme/shop', 5, 2],
    ['acme/shop', 5],
    ['acme/shop', 6, 'whole'],
    ['acme/shop', 6],
    ['acme/shop', 5],
    ['acme/shop', 5],
    ['acme/shop', 5, 6],
    ['acme/shop', 5],
  ]);
  assert.equal(String(storedId(1e12 - 1, lastPlace)).length, 15);
  assert.notEqual(storedId(5, 1), storedId(5, 2));
  // Of the sample traffic, which are far above those of GitHub.
  assert.equal(idAtForge(storedId(800_357_362_642_203, 0)), 800_357_362_642_203);
});
