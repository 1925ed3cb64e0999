import { ruleBody } from '#test/support/alerts/rule-body.ts';
import {
  newRule,
  newIncident,
  newRun,
  newDelivery,
  newDeadLetter,
  firstId,
  newSubscription,
  newOutgoingWebhook,
  newTask,
} from '../route-objects.ts';
import { after, inPath, nothing, one, type Examples } from './example.ts';

/** Calls about rules, incidents, deliveries and outgoing webhooks. */
export const eventExamples: Examples = {
  [`GET ${one}/webhook-subscriptions`]: after(newSubscription),
  [`POST ${one}/webhook-subscriptions`]: () => ({
    body: { name: 'New', url: 'https://hooks.example.com/in', eventTypes: ['run.completed'] },
  }),
  [`PUT ${one}/webhook-subscriptions/:subscriptionId`]: inPath('subscriptionId', newSubscription, {
    name: 'Changed',
    eventTypes: ['run.completed'],
    enabled: true,
  }),
  [`DELETE ${one}/webhook-subscriptions/:subscriptionId`]: inPath('subscriptionId', newSubscription),
  [`POST ${one}/webhook-subscriptions/:subscriptionId/secret`]: inPath('subscriptionId', newSubscription, {
    graceHours: 1,
  }),
  [`POST ${one}/webhook-subscriptions/:subscriptionId/test`]: inPath('subscriptionId', newSubscription),
  [`GET ${one}/webhook-receivers/:receiverId/webhooks`]: inPath('receiverId', newSubscription),
  [`POST ${one}/webhook-receivers/:receiverId/replay-failed`]: inPath('receiverId', newSubscription, {
    since: '2026-01-05T00:00:00.000Z',
  }),
  [`GET ${one}/outgoing-webhooks/:webhookId`]: inPath('webhookId', newOutgoingWebhook),
  [`POST ${one}/outgoing-webhooks/:webhookId/replay`]: inPath('webhookId', newOutgoingWebhook),
  [`GET ${one}/event-log`]: nothing,
  [`GET ${one}/event-log/:entryId`]: async (world) => ({
    params: { entryId: await firstId(world, '/event-log', 'entryId') },
  }),
  [`PATCH ${one}/event-log/:entryId`]: async (world) => ({
    params: { entryId: await firstId(world, '/event-log', 'entryId') },
    body: { read: true },
  }),
  [`POST ${one}/event-log/mark-all-read`]: () => ({ body: {} }),
  [`GET ${one}/notification-rules`]: after(newRule),
  [`POST ${one}/notification-rules`]: () => ({ body: { ...ruleBody() } }),
  [`PUT ${one}/notification-rules/:ruleId`]: inPath('ruleId', newRule, { ...ruleBody({ name: 'Changed' }) }),
  [`DELETE ${one}/notification-rules/:ruleId`]: inPath('ruleId', newRule),
  [`POST ${one}/notification-rules/:ruleId/test`]: inPath('ruleId', newRule),
  [`POST ${one}/notification-rules/back-test`]: () => ({ body: { ...ruleBody() } }),
  [`POST ${one}/notification-rules/test`]: () => ({ body: { ...ruleBody() } }),
  [`GET ${one}/notification-rules/known-workflows`]: after(newRun),
  [`GET ${one}/notification-rules/:ruleId/deliveries`]: inPath('ruleId', newRule),
  [`GET ${one}/incidents`]: nothing,
  [`PATCH ${one}/incidents/:incidentId`]: inPath('incidentId', newIncident, {
    version: 1,
    acknowledged: true,
  }),
  [`GET ${one}/deliveries`]: after(newDelivery),
  [`GET ${one}/deliveries/:deliveryId`]: inPath('deliveryId', newDelivery),
  [`GET ${one}/deliveries/:deliveryId/body`]: inPath('deliveryId', newDelivery),
  [`POST ${one}/deliveries/:deliveryId/replay`]: inPath('deliveryId', newDelivery),
  [`GET ${one}/tasks`]: after(newTask),
  [`POST ${one}/tasks/retry`]: async (world) => ({ body: { taskIds: [await newTask(world)] } }),
  [`DELETE ${one}/tasks/:taskId`]: inPath('taskId', newTask),
  [`GET ${one}/dead-letters`]: after(newDeadLetter),
  [`POST ${one}/dead-letters/redrive`]: async (world) => ({
    body: { messageIds: [await newDeadLetter(world)] },
  }),
  [`DELETE ${one}/dead-letters/:messageId`]: inPath('messageId', newDeadLetter),
};
