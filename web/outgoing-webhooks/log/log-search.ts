import {
  outgoingWebhookStatuses,
  type OutgoingWebhookStatus,
} from '#contract/integrations/outgoing-webhooks.ts';

export interface WebhookLogSearch {
  status?: OutgoingWebhookStatus | undefined;
  /** The open webhook. */
  open?: string | undefined;
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Reads the filter from an address. Drops values that the server would refuse. */
export function readWebhookLogSearch({ status, open }: Record<string, unknown>): WebhookLogSearch {
  const known = outgoingWebhookStatuses.find((each) => each === status);
  return {
    ...(known === undefined ? {} : { status: known }),
    ...(typeof open === 'string' && uuid.test(open) ? { open } : {}),
  };
}
