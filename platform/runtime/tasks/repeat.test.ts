import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { makeGate } from '#test/support/waiting/gate.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { repeat } from './repeat.ts';

const lines: string[] = [];
const log = pino({}, { write: (line) => void lines.push(line) });

test('a failed run is logged with its name, and the next run follows', async () => {
  let runs = 0;
  const service = repeat(log, 'to water the plants', 1, async () => {
    runs += 1;
    throw new Error('no water');
  });
  await service.start();
  await waitUntil('the next run', () => runs >= 2);
  await service.stop();
  assert.match(lines[0] ?? '', /no water.*"task":"to water the plants"/);
});

test('stop waits for the current run, no run follows, and runs never overlap', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const gate = makeGate();
  let begun = 0;
  let ended = 0;
  const service = repeat(log, 'slow', 1, async () => {
    begun += 1;
    await gate.passed();
    ended += 1;
  });
  gate.close();
  await service.start();
  t.mock.timers.tick(1000);
  assert.deepEqual([begun, ended], [1, 0]);
  const stopped = service.stop();
  gate.open();
  await stopped;
  assert.deepEqual([begun, ended], [1, 1]);
  t.mock.timers.tick(1000);
  assert.equal(begun, 1);
  await service.stop();
});
