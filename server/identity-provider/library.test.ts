import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

/**
 * Imports a module in a callback of a file, and sends the CPU time of each turn of the event loop. A timer separates the turns, because
 * an immediate may run before the loop reads from its connections. In a thread of its own, because others may have loaded the module.
 */
const measureTurns = `
  const { stat } = require('node:fs');
  const { parentPort, workerData } = require('node:worker_threads');
  const cpuMs = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  stat('.', () => {
    const turns = [];
    let before = cpuMs();
    const measure = () => {
      const now = cpuMs();
      turns.push(now - before);
      before = now;
    };
    const timer = setInterval(measure, 1);
    import(workerData).then(() => {
      measure();
      clearInterval(timer);
      parentPort.postMessage(turns);
    });
  });`;

test('the library of the provider is loaded in several turns of the event loop', async () => {
  const workerData = new URL('library.ts', import.meta.url).href;
  const [turns] = (await once(new Worker(measureTurns, { eval: true, workerData }), 'message')) as [number[]];
  const all = turns.reduce((sum, each) => sum + each, 0);
  const longest = Math.max(...turns);
  assert.ok(longest < 0.9 * all, `${Math.round(longest)} of ${Math.round(all)} ms at once`);
});
