import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import pino from 'pino';
import { runPayload } from '#test/support/data/forge-events.ts';
import { recordPayload } from '#test/support/data/record-payload.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { startTasks } from '#test/support/product/start-tasks.ts';
import { addPerson, addToTeam } from '#test/support/team/people.ts';
import { makeGate } from '#test/support/waiting/gate.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { requestNotifications } from './pending-store.ts';
import { personalTasks } from './personal-notifier.ts';
import { makeUnsubscribeTokens } from './unsubscribe-token.ts';

const database = await createTestDatabase();
const log = pino({ enabled: false });

/** An integration whose owner wants mails. */
async function teamOf(forgeLogin: string) {
  const integrationId = await insertIntegration(database);
  const email = `${forgeLogin}@example.com`;
  const userId = await addPerson(database, { forgeLogin, email });
  await addToTeam(database, integrationId, userId, 'owner');
  await database.asOwner(
    'insert into personal_notifications (user_id, enabled, email) values ($1, true, $2)',
    [userId, email],
  );
  return { integrationId, actor: forgeLogin };
}

/** A run on a branch of its own fails. */
async function fail({ integrationId, actor }: { integrationId: string; actor: string }, runId: number) {
  const at = new Date().toISOString();
  const completed = { status: 'completed', conclusion: 'failure', created_at: at, updated_at: at };
  const run = { id: runId, name: 'CI', head_branch: `topic-${runId}`, actor: { login: actor }, ...completed };
  await recordPayload(database, integrationId, 'workflow_run', runPayload(run));
  await database.worker.withScope({ integrationId }, (tx) =>
    requestNotifications(tx, [{ integrationId, runId, attempt: 1, actor, isGreen: false }]),
  );
}

test('mails of one team that the mail server takes slowly do not delay those of another, and are sent once', async (t) => {
  const [slow, prompt] = [await teamOf('slow'), await teamOf('prompt')];
  const gate = makeGate();
  gate.close();
  t.after(() => gate.open());
  const mailed: string[] = [];
  const sendMail = async ({ to }: { to: string }): Promise<void> => {
    if (to === 'slow@example.com') await gate.passed();
    mailed.push(to);
  };
  const unsubscribeTokens = makeUnsubscribeTokens([randomBytes(32)]);
  const deps = { db: database.worker, log, clock: Date.now, publicUrl: 'https://fw.example.com' };
  await startTasks(t, database, [personalTasks({ ...deps, sendMail, unsubscribeTokens })]);
  for (let runId = 1; runId <= 15; runId += 1) await fail(slow, runId);
  await waitUntil('mails that take long', () => gate.waiting() > 0);
  await fail(prompt, 100);
  await waitUntil('the prompt mail', () => mailed.includes('prompt@example.com'));
  assert.deepEqual(mailed, ['prompt@example.com']);
  gate.open();
  await waitUntil('the slow mails', () => mailed.length === 16);
});
