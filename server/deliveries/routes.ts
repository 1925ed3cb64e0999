import { Type } from 'typebox';
import {
  DeadLetterPage,
  DeadLetterQuery,
  DeliveryDetail,
  DeliveryPage,
  DeliveryQuery,
  RedriveBody,
  Redriven,
  Replayed,
} from '#contract/deliveries/deliveries.ts';
import { Uuid } from '#contract/base/schema.ts';
import type { Queue } from '#server/queue/queue.ts';
import { route, type Route } from '#server/route.ts';
import { dropDeadLetter, listDeadLetters, redriveDeadLetters } from './dead-letters.ts';
import type { DeliveriesDeps } from './load-deliveries.ts';
import { listDeliveries } from './list-deliveries.ts';
import { downloadBody, readDelivery } from './read-delivery.ts';
import { replayDelivery, type ReplayDeps } from './payload/replay-delivery.ts';

const base = '/api/integrations/:integrationId';
const deliveryParams = Type.Object({ integrationId: Uuid, deliveryId: Type.String({ maxLength: 200 }) });
const deadLetterParams = Type.Object({ integrationId: Uuid, messageId: Type.String({ maxLength: 100 }) });

export interface DeliveryRoutesDeps extends ReplayDeps {
  queue: Queue;
}

export function deliveryRoutes(deps: DeliveryRoutesDeps): Route[] {
  return [...deliveriesTable(deps), ...deadLettersTable(deps)];
}

function deliveriesTable(deps: DeliveryRoutesDeps): Route[] {
  return [
    route('GET', `${base}/deliveries`, {
      access: { role: 'viewer' },
      summary: 'List received webhooks with their outcomes, newest first, including refused ones',
      query: DeliveryQuery,
      answer: { schema: DeliveryPage },
      handle: ({ params: { integrationId }, query }) => listDeliveries(deps, integrationId, query),
    }),
    route('GET', `${base}/deliveries/:deliveryId`, {
      access: { role: 'viewer' },
      summary:
        'Get a delivery by its id here or at the forge, with its headers, its body and each processing step',
      params: deliveryParams,
      answer: { schema: DeliveryDetail },
      handle: ({ params: { integrationId, deliveryId } }) => readDelivery(deps, integrationId, deliveryId),
    }),
    route('GET', `${base}/deliveries/:deliveryId/body`, {
      access: { role: 'viewer' },
      summary: 'Download the body of a delivery as received',
      params: deliveryParams,
      answer: { contentType: 'application/octet-stream' },
      handle: async ({ params: { integrationId, deliveryId }, reply }) => {
        const body = await downloadBody(deps, integrationId, deliveryId);
        reply.header('content-disposition', 'attachment; filename="delivery.json"');
        return body;
      },
    }),
    route('POST', `${base}/deliveries/:deliveryId/replay`, {
      access: { role: 'admin' },
      summary: 'Queue a delivery again',
      params: deliveryParams,
      errors: ['conflict', 'quota_exceeded', 'storage_full'],
      answer: { status: 202, schema: Replayed },
      handle: ({ params: { integrationId, deliveryId }, caller }) =>
        replayDelivery(deps, integrationId, deliveryId, caller.userId),
    }),
  ];
}

function deadLettersTable({ db, sealer, queue }: DeliveriesDeps & { queue: Queue }): Route[] {
  const deps = { db, sealer, deadLetters: queue.deadLetters };
  return [
    route('GET', `${base}/dead-letters`, {
      access: { role: 'viewer' },
      summary: 'List dead letters, oldest first',
      query: DeadLetterQuery,
      answer: { schema: DeadLetterPage },
      handle: ({ params: { integrationId }, query }) => listDeadLetters(deps, integrationId, query),
    }),
    route('POST', `${base}/dead-letters/redrive`, {
      access: { role: 'admin' },
      summary: 'Queue the given dead letters again, or all',
      body: RedriveBody,
      answer: { schema: Redriven },
      handle: async ({ params: { integrationId }, body, caller }) => ({
        redriven: await redriveDeadLetters(deps, integrationId, body.messageIds, caller.userId),
      }),
    }),
    route('DELETE', `${base}/dead-letters/:messageId`, {
      access: { role: 'admin' },
      summary: 'Delete a dead letter permanently',
      params: deadLetterParams,
      answer: { status: 204 },
      handle: ({ params: { integrationId, messageId }, caller }) =>
        dropDeadLetter(deps, integrationId, messageId, caller.userId),
    }),
  ];
}
