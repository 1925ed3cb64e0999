import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAll, stopAll, type Service } from './service.ts';

/** Services that note what is done to them; those named refuse it. */
function noting(...refused: string[]) {
  const done: string[] = [];
  const act = async (what: string): Promise<void> => {
    done.push(what);
    if (refused.includes(what)) throw new Error(what);
  };
  const services = ['a', 'b', 'c'].map((name): Service => ({
    name,
    start: () => act(`start ${name}`),
    stop: () => act(`stop ${name}`),
  }));
  return { done, services };
}

test('when one does not start, those before it are stopped in reverse, and its failure is the one that is told', async () => {
  const { done, services } = noting('start c', 'stop b');
  await assert.rejects(startAll(services), /^Error: start c$/);
  assert.deepEqual(done, ['start a', 'start b', 'start c', 'stop b', 'stop a']);
});

test('one that does not stop keeps no other running, and the first failure is told', async () => {
  const { done, services } = noting('stop c', 'stop a');
  await assert.rejects(stopAll(services), /^Error: stop c$/);
  assert.deepEqual(done, ['stop c', 'stop b', 'stop a']);
});
