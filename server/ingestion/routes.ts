import { Type } from 'typebox';
import { AppError } from '#platform/runtime/app-error.ts';
import { route, type Route } from '#server/route.ts';
import { webhookAnswerMs } from '#server/queue/policy.ts';
import {
  receiveIntegrationWebhook,
  recordTooLarge,
  type ReceiveDeps,
  type WebhookOutcome,
} from './receive-integration-webhook.ts';

/** Authenticated by the signature of each delivery, not by a session. */
export const publicPrefixes = ['/api/import/'];

const ok = { message: 'ok' } as const;

export function ingestionRoutes(deps: ReceiveDeps & { maxBytes: number }): Route[] {
  return [
    route('POST', '/api/import/:integrationId', {
      access: { verifiedBy: 'integration-signature' },
      summary: 'Receive a webhook of the forge; answers 200 when it is durable in the queue',
      params: Type.Object({ integrationId: Type.String() }),
      rawBodyMaxBytes: deps.maxBytes,
      answerWithinMs: webhookAnswerMs,
      onBodyRefused: ({ params, headers, ip: address }, code) => {
        if (code === 'try_again') return deps.count('try_again');
        deps.count('refused');
        const { integrationId } = params as { integrationId: string };
        void recordTooLarge(deps, { integrationId, headers, address });
      },
      refusalLimit: { perMinute: 60, by: 'address' },
      errors: ['unsupported_event', 'invalid_json', 'conflict', 'quota_exceeded', 'storage_full'],
      answer: { schema: Type.Object({ message: Type.Literal('ok') }) },
      handle: async ({ params: { integrationId }, body, request }) => {
        try {
          const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
          const { headers, ip: address } = request;
          deps.count(await receiveIntegrationWebhook(deps, { integrationId, headers, address, body: bytes }));
          return ok;
        } catch (error) {
          deps.count(outcomeOf(error));
          throw error;
        }
      },
    }),
  ];
}

function outcomeOf(error: unknown): WebhookOutcome {
  if (!(error instanceof AppError)) return 'try_again';
  const { code } = error;
  return code === 'try_again' || code === 'quota_exceeded' || code === 'storage_full' ? code : 'refused';
}
