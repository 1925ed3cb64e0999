import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

test('the library of the provider is loaded in several turns of the event loop', async () => {
  const turns: number[] = [];
  let before = cpuMs();
  let turn: NodeJS.Immediate | undefined;
  const measure = (): void => {
    const now = cpuMs();
    turns.push(now - before);
    before = now;
    turn = setImmediate(measure);
  };
  measure();
  await import('./library.ts');
  await nextTurn();
  clearImmediate(turn);
  const all = turns.reduce((sum, each) => sum + each, 0);
  const longest = Math.max(...turns);
  assert.ok(longest < 0.9 * all, `${Math.round(longest)} of ${Math.round(all)} ms at once`);
});
