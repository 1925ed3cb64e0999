import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

/** Imports a module and sends the CPU time of each turn of the event loop. In a thread of its own, because others may have loaded the module. */
const measureTurns = `
  const { parentPort, workerData } = require('node:worker_threads');
  const cpuMs = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  const turns = [];
  let before = cpuMs();
  let turn;
  const measure = () => {
    const now = cpuMs();
    turns.push(now - before);
    before = now;
    turn = setImmediate(measure);
  };
  measure();
  import(workerData).then(() =>
    setImmediate(() => {
      clearImmediate(turn);
      parentPort.postMessage(turns);
    }),
  );`;

test('the library of the provider is loaded in several turns of the event loop', async () => {
  const workerData = new URL('library.ts', import.meta.url).href;
  const [turns] = (await once(new Worker(measureTurns, { eval: true, workerData }), 'message')) as [number[]];
  const all = turns.reduce((sum, each) => sum + each, 0);
  const longest = Math.max(...turns);
  assert.ok(longest < 0.9 * all, `${Math.round(longest)} of ${Math.round(all)} ms at once`);
});
