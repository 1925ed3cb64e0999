import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pino from 'pino';
import { makeListener } from '#platform/database/listener.ts';
import { hourMs } from '#platform/runtime/time-units.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { insertInstallation } from '#test/support/forge/insert-installation.ts';
import { runWhenDue } from './run-when-due.ts';

const database = await createTestDatabase();
const log = pino({ enabled: false });
const listener = makeListener(database.worker.connection, log);
let runs = 0;
// Without a poll only a notification starts it again.
const service = runWhenDue({ log, listener }, 'test', async () => void (runs += 1), hourMs);

before(async () => {
  await listener.start();
  await service.start();
  await waitUntil('the first run', () => runs > 0);
});
after(async () => {
  await service.stop();
  await listener.stop();
});

const runsAgain = async (what: string, change: () => Promise<unknown>): Promise<void> => {
  const before = runs;
  await change();
  await waitUntil(what, () => runs > before);
};

test('a request for a sync is noticed without a poll', async () => {
  await runsAgain('the sync of an installation', () => insertInstallation(database, 1, [], { isDue: true }));
});

test('a failed run ends neither the process nor later runs', async () => {
  let failed = 0;
  const failing = runWhenDue(
    { log, listener },
    'failing',
    async () => {
      failed += 1;
      throw new Error('no database');
    },
    hourMs,
  );
  failing.request();
  await waitUntil('the first failure', () => failed === 1);
  failing.request();
  await waitUntil('the second failure', () => failed === 2);
  await failing.stop();
  failing.request();
  await failing.stop();
  assert.equal(failed, 2, 'a stopped service runs no more');
});
