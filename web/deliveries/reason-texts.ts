interface ReasonText {
  title: string;
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
    advice: 'At the forge, select only the events that the settings of this integration list.',
  },
  invalid_json: {
    title: 'Body is not JSON',
    advice: 'At the forge, set the content type of the webhook to application/json.',
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

  invalid_payload: {
    title: 'Unexpected body',
    advice:
      'A field is missing or has the wrong type. If a newer version of Forgewatch accepts it, update and retry.',
  },
  payload_too_complex: {
    title: 'Body is too complex',
    advice:
      'It is nested more than 64 levels deep or holds more than 250,000 values. Forges do not send such bodies: check the body, then drop the message.',
  },
  invalid_message: {
    title: 'Message is damaged',
    advice: 'Redeliver it from the forge, then drop this message.',
  },
  payload_missing: {
    title: 'Body is missing',
    advice: 'Redeliver it from the forge, then drop this message.',
  },
  unreadable: {
    title: 'Body cannot be decrypted',
    advice: 'Check that ENCRYPTION_KEY lists the key that was in use at that time, then retry.',
  },
  refused_by_store: {
    title: 'Could not be stored',
    advice: 'Retry. If it fails again, report it with the details.',
  },
  internal_error: {
    title: 'Processing failed',
    advice: 'Retry. If it fails again, look at the log of the worker.',
  },
  abandoned: { title: 'Worker stopped', advice: 'Retry. If it fails again, look at the log of the worker.' },
  expired: { title: 'Waited too long', advice: 'Check that a worker is running, then retry.' },
};

/** The text for a reason of refusal or failure. Unknown reasons are shown as they are. */
export function reasonText(reason: string): ReasonText {
  return (Object.hasOwn(texts, reason) ? texts[reason] : undefined) ?? { title: reason };
}
