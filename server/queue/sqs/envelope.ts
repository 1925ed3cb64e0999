import { createHash } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';

/** As ours are: the log takes any of them. */
const DeduplicationId = Type.String({ pattern: '^[\\x21-\\x7e]{1,256}$' });

/** Sealed as it will lie in the log, in base64: Amazon SQS takes no bytes, and not every character. */
const Inline = Type.Object({ deduplicationId: DeduplicationId, body: Type.String() });
/** A body that would be too large in base64 lies in the database. */
const Reference = Type.Object({ deduplicationId: DeduplicationId, bodyRef: Type.String({ format: 'uuid' }) });
/** Asks for dead letters to be put in line here, behind what came before. */
const Redrive = Type.Object({ redrive: Type.Array(Type.String()) });
const Envelope = Type.Union([Inline, Reference, Redrive]);

/** What the body of a message in Amazon SQS says, as JSON. */
export type Envelope = Static<typeof Envelope>;

const envelope = Compile(Envelope);

export function writeEnvelope(content: Envelope): string {
  return JSON.stringify(content);
}

/** Undefined for what is none of ours. */
export function readEnvelope(text: string): Envelope | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return envelope.Check(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Fits the 128 characters that Amazon SQS allows, whatever the delivery is called. It remembers for five minutes even what
 * failed meanwhile, so each death of a delivery gives it another one.
 */
export function sqsDeduplicationId(groupId: string, deduplicationId: string, deaths: number): string {
  return createHash('sha256')
    .update(JSON.stringify([groupId, deduplicationId, deaths]))
    .digest('hex');
}
