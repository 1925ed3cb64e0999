import { createHash } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';

/** The form of the deduplication ids that Forgewatch sends. */
const DeduplicationId = Type.String({ pattern: '^[\\x21-\\x7e]{1,256}$' });

/** The sealed body in base64: Amazon SQS accepts text only. */
const Inline = Type.Object({ deduplicationId: DeduplicationId, body: Type.String() });
/** A body that is too large in base64 is stored in the database. */
const Reference = Type.Object({ deduplicationId: DeduplicationId, bodyRef: Type.String({ format: 'uuid' }) });
/** Ids of dead letters to put back in the queue at this position. */
const Redrive = Type.Object({ redrive: Type.Array(Type.String()) });
const Envelope = Type.Union([Inline, Reference, Redrive]);

/** The JSON body of a message in Amazon SQS. */
export type Envelope = Static<typeof Envelope>;

const envelope = Compile(Envelope);

export function writeEnvelope(content: Envelope): string {
  return JSON.stringify(content);
}

/** Undefined for a message that Forgewatch did not write. */
export function readEnvelope(text: string): Envelope | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return envelope.Check(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Fits the 128 characters that Amazon SQS allows. SQS remembers an id for five minutes, also of a message that failed. The
 * number of failures is part of the id, so a redelivery after a failure is accepted.
 */
export function sqsDeduplicationId(groupId: string, deduplicationId: string, deaths: number): string {
  return createHash('sha256')
    .update(JSON.stringify([groupId, deduplicationId, deaths]))
    .digest('hex');
}
