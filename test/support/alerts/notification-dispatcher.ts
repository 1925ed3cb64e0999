import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import pino from 'pino';
import type { ChannelInput, NotificationRule, RuleBody } from '#contract/alerts/alerts.ts';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { evaluateRules } from '#server/alerts/evaluation/evaluate-rules.ts';
import { insertPendingEvaluations } from '#server/alerts/evaluation/completion-store.ts';
import { alertPolicy, type AlertPolicy } from '#server/alerts/policy.ts';
import { changeRule, createRule } from '#server/alerts/rules/save-rule.ts';
import { notificationTasks } from '#server/alerts/notifications/notification-dispatcher.ts';
import { notificationTask } from '#server/alerts/notifications/notification-store.ts';
import { makeSendMail } from '#server/mail/send-mail.ts';
import { startNotificationReceiver } from './notification-receiver.ts';
import { storeRun, type RunFields } from './store-completions.ts';
import { ruleBody } from './rule-body.ts';
import { notificationsOf } from './stored-alerts.ts';
import { startTasks } from '#test/support/product/start-tasks.ts';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import { countRows, readRows, updateRows } from '#test/support/database/rows.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';

const quick: AlertPolicy = { ...alertPolicy, gatherMs: 0, lookAgainMs: 0 };
const tasksOf = (integrationId: string) => ({ integration_id: integrationId, kind: notificationTask });
const sealer = makeSealer([testMasterKey]);

interface RuleOfIntegration {
  integrationId: string;
  rule: NotificationRule;
  /** Saves the rule as its page does. */
  setEnabled(enabled: boolean): Promise<void>;
}

/** A notification dispatcher with a receiver, without the worker. */
export async function setUpDispatcher() {
  const database = await createTestDatabase();
  const receiver = await startNotificationReceiver(2000);
  const logged: string[] = [];
  const log = pino({}, { write: (line) => void logged.push(line) });
  const noMail = makeSendMail({ smtpUrl: undefined, mailFrom: 'fw@example.com' }, log);

  const integrationFor = async (
    fields: Partial<RuleBody>,
    integrationId: string = randomUUID(),
  ): Promise<RuleOfIntegration> => {
    await insertIntegration(database, integrationId);
    const place = { integrationId, actorId: randomUUID() };
    const body = ruleBody(fields);
    const rule = await createRule(saveDeps, place, body);
    const setEnabled = async (enabled: boolean): Promise<void> => {
      const channels = body.channels.map((input, at) => ({
        ...input,
        channelId: rule.channels[at]!.channelId,
      }));
      await changeRule(saveDeps, place, rule.ruleId, { ...body, enabled, channels });
    };
    return { integrationId, rule, setEnabled };
  };
  const saveDeps = { db: database.api, sealer, refusal: receiver.guardedFetch.refusal };
  const notifications = (integrationId: string) => notificationsOf(database, integrationId);
  return {
    database,
    receiver,
    /** The log lines. */
    logged,
    /** Starts a dispatcher; the end of the test stops it. */
    start: async (
      t: { after(stop: () => Promise<void>): void },
      policy: Partial<AlertPolicy> = {},
      sendMail = noMail,
    ) => {
      const kind = notificationTasks({
        db: database.worker,
        log,
        clock: Date.now,
        policy: { ...quick, ...policy },
        sealer,
        publicUrl: 'https://fw.example.com',
        countKey: testMasterKey,
        guardedFetch: receiver.guardedFetch,
        sendMail,
        count: () => {},
      });
      return startTasks(t, database, [kind], { log });
    },
    /** An integration with one rule. */
    integrationFor,
    integrationWith: (...channels: ChannelInput[]) => integrationFor({ channels }),
    /** Completes a run and evaluates the rules. */
    end: async (
      integrationId: string,
      runId: number,
      conclusion: string,
      policy = quick,
      fields: Partial<RunFields> = {},
    ): Promise<void> => {
      await storeRun(database, integrationId, runId, { conclusion, ...fields });
      const isGreen = conclusion === 'success';
      await database.worker.withScope({ integrationId }, async (tx) => {
        await insertPendingEvaluations(tx, [
          {
            integrationId,
            runId,
            attempt: 1,
            jobId: null,
            isGreen,
            isOfDefaultBranch: true,
            deliverySeq: null,
            receivedAt: null,
          },
        ]);
        assert.equal(await evaluateRules(tx, integrationId, policy, Date.now(), 10), 1);
      });
    },
    /** Lets the cooldown of ten minutes end for the notifications that wait for it. */
    passCooldown: (integrationId: string) =>
      database.asOwner(
        `update tasks set due_at = now() where integration_id = $1 and kind = $2 and due_at > now() + interval '9 minutes'`,
        [integrationId, notificationTask],
      ),
    /** Makes a notification, or all to a channel, due at another time. */
    reschedule: async (
      notification: { notification_id: string } | { channel_id: string },
      inMs: number,
    ): Promise<void> => {
      for (const { notification_id } of await readRows(database, 'notifications', notification))
        await updateRows(
          database,
          'tasks',
          { due_at: new Date(Date.now() + inMs) },
          { kind: notificationTask, key: notification_id },
        );
    },
    /** When each waiting notification of the integration is due, in milliseconds since the epoch. */
    dueTimes: async (integrationId: string): Promise<number[]> =>
      (await readRows(database, 'tasks', tasksOf(integrationId))).map(({ due_at: at }) => +at),
    pendingNotifications: (integrationId: string) => countRows(database, 'tasks', tasksOf(integrationId)),
    notifications,
    /** The notifications, once none waits. */
    settled: (integrationId: string) =>
      waitUntil('all settled', async () => {
        const rows = await notifications(integrationId);
        return rows.length > 0 && rows.every(({ status }) => status !== 'waiting') && rows;
      }),
    webhook: (path: string): ChannelInput => ({ type: 'webhook', url: receiver.url(path) }),
    /** The types of the notifications that arrived at the path. */
    typesTo: (path: string): string[] => receiver.callsTo(path).map(({ body }) => JSON.parse(body).type),
  };
}
