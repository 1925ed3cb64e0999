import { formatNumber } from '../ui/locale.ts';

interface ReasonText {
  title: string;
  /** What happened, where the title does not say it. */
  what?: string;
  /** What to do about it. */
  advice?: string;
}

const texts: Record<string, ReasonText> = {
  invalid_signature: {
    title: 'Secret does not match',
    advice:
      'The secret at the forge differs from the secret of this integration. Replace the secret in the settings and enter the new one at the forge. If you do not recognize the client address, ignore this delivery.',
  },
  payload_too_large: {
    title: 'Body is too large',
    advice: 'Raise WEBHOOK_MAX_BYTES, or ask your operator to raise it.',
  },
  unsupported_event: {
    title: 'Event is not supported',
    what: 'Forgewatch does not process this type of event.',
    advice: 'At the forge, select only the events that the settings of this integration list.',
  },
  invalid_json: {
    title: 'Body is not JSON',
    what: 'The forge sent a form or a damaged body.',
    advice: 'At the forge, set the content type of the webhook to application/json.',
  },
  quota_exceeded: {
    title: 'Quota used up',
    what: 'The integration or its owner had stored as much as a day allows.',
    advice:
      'Redeliver it from the forge after 00:00 UTC. The settings of this integration show the usage of today. Your operator can raise the quota.',
  },
  storage_full: {
    title: 'Disk full',
    what: 'The server had too little free disk space to store it.',
    advice: 'Redeliver it from the forge once your operator has made space.',
  },
  not_subscribed: {
    title: 'Not subscribed',
    advice: 'To store these events, add the event type in the settings. Otherwise deselect it at the forge.',
  },
  ping: { title: 'Test by the forge', advice: 'Nothing to do: the URL and the secret are correct.' },

  same_event: { title: 'Already stored' },
  older_attempt: { title: 'A later attempt is stored' },
  already_completed: { title: 'Already completed' },
  older_update: { title: 'A later update is stored' },
  earlier_status: { title: 'A later status is stored' },
  earlier_delivery: { title: 'A later delivery is stored' },
  earlier_attempt_updated: { title: 'Earlier attempt updated' },
  past_retention: { title: 'Older than the runs that are kept' },

  invalid_payload: {
    title: 'Unexpected body',
    what: 'The body lacks a field of this event, or a field has another type than the forge documents.',
    advice: 'Look at the field in the payload. Update Forgewatch and retry, or drop the message.',
  },
  payload_too_complex: {
    title: 'Body is too complex',
    what: `It is nested more than 64 levels deep or holds more than ${formatNumber(250_000)} values. Forges do not send such bodies.`,
    advice: 'Check the body, then drop the message.',
  },
  invalid_message: {
    title: 'Message is damaged',
    what: 'The entry of the queue is not one that Forgewatch wrote.',
    advice: 'Redeliver it from the forge, then drop this message.',
  },
  payload_missing: {
    title: 'Body is missing',
    what: 'The body was stored apart from the message and is deleted.',
    advice: 'Redeliver it from the forge, then drop this message.',
  },
  unreadable: {
    title: 'Body cannot be decrypted',
    what: 'It was encrypted with a key that this server does not have, or it was changed.',
    advice: 'Check that ENCRYPTION_KEY lists the key that was in use at that time, then retry.',
  },
  refused_by_store: {
    title: 'Could not be stored',
    what: 'The database refused the values of this event.',
    advice: 'Retry. If it fails again, report it with the details.',
  },
  internal_error: {
    title: 'Processing failed',
    what: 'An error of Forgewatch ended the processing of this message.',
    advice: 'Retry. If it fails again, look at the log of the worker.',
  },
  abandoned: {
    title: 'Worker stopped',
    what: 'The worker ended or hung while it processed this message, twice.',
    advice: 'Retry. If it fails again, look at the log of the worker.',
  },
  expired: {
    title: 'Waited too long',
    what: 'No worker took the message in the time that the queue keeps it.',
    advice: 'Check that a worker is running, then retry.',
  },
};

/** The text for a reason of refusal or failure. Unknown reasons are shown as they are. */
export function reasonText(reason: string): ReasonText {
  return (Object.hasOwn(texts, reason) ? texts[reason] : undefined) ?? { title: reason };
}
