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

test('a failed start stops the started services in reverse order and rethrows its error', async () => {
  const { done, services } = noting('start c', 'stop b');
  await assert.rejects(startAll(services), /^Error: start c$/);
  assert.deepEqual(done, ['start a', 'start b', 'start c', 'stop b', 'stop a']);
});

test('a failed stop still stops the other services and rethrows the first error', async () => {
  const { done, services } = noting('stop c', 'stop a');
  await assert.rejects(stopAll(services), /^Error: stop c$/);
  assert.deepEqual(done, ['stop c', 'stop b', 'stop a']);
});
