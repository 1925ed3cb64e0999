import { endOfValue, fieldsOf } from './json-parts.ts';
import { beforePayload, parseMessage, type ParsedMessage } from './message.ts';
import { payloadNames, type PayloadNames } from './payload-names.ts';

/** A message whose payload is not parsed. */
export interface SplitMessage {
  envelope: ParsedMessage;
  /** Undefined when it is stored separately, or the message is not a delivery. */
  payload: Buffer | undefined;
}

/** Larger than any envelope, as header values and names are cut before. */
const maxEnvelopeBytes = 64 * 1024;

/** Parses only the fields around the payload: the payload may be large and deeply nested. */
export function splitMessage(message: Buffer): SplitMessage {
  const hasPayload = message.subarray(0, beforePayload.length).equals(beforePayload);
  const end = hasPayload ? endOfValue(message, beforePayload.length) : 0;
  // A comma follows the payload.
  const rest = hasPayload ? `{${message.toString('utf8', end + 1, end + 1 + maxEnvelopeBytes)}` : undefined;
  return {
    envelope: parseMessage(rest ?? message.toString('utf8', 0, maxEnvelopeBytes)),
    payload: hasPayload ? message.subarray(beforePayload.length, end) : undefined,
  };
}

const maxFieldBytes = 4096;

/** The names that lists show, read without parsing the rest of the payload. */
export function namesInPayload(payload: Buffer): PayloadNames {
  const { action, repository } = fieldsOf(payload, ['action', 'repository']);
  const { full_name } = repository === undefined ? {} : fieldsOf(repository, ['full_name']);
  return payloadNames({ action: valueOf(action), repository: { full_name: valueOf(full_name) } });
}

function valueOf(text: Buffer | undefined): unknown {
  if (text === undefined || text.length > maxFieldBytes) return undefined;
  try {
    return JSON.parse(text.toString('utf8'));
  } catch {
    return undefined;
  }
}
