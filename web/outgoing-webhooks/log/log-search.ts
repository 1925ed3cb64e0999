import {
  outgoingWebhookStatuses,
  type OutgoingWebhookStatus,
} from '#contract/integrations/outgoing-webhooks.ts';
import { webhookTypes, type WebhookType } from '#contract/integrations/webhook-types.ts';

/** What the list is limited to. */
export interface WebhookLogFilter {
  status?: OutgoingWebhookStatus | undefined;
  type?: WebhookType | undefined;
}

export interface WebhookLogSearch extends WebhookLogFilter {
  /** The open webhook. */
  open?: string | undefined;
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Reads the filter from an address. Drops values that the server would refuse. */
export function readWebhookLogSearch({ status, type, open }: Record<string, unknown>): WebhookLogSearch {
  const knownStatus = outgoingWebhookStatuses.find((each) => each === status);
  const knownType = webhookTypes.find((each) => each === type);
  return {
    ...(knownStatus && { status: knownStatus }),
    ...(knownType && { type: knownType }),
    ...(typeof open === 'string' && uuid.test(open) ? { open } : {}),
  };
}
