import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { LRUCache } from 'lru-cache';
import {
  sqsBatchBytes,
  sqsDeduplicationMs,
  sqsEnvelopeBytes,
  sqsLookUpMs,
  sqsSendTimeoutMs,
} from '../policy.ts';
import type { MessageLog } from '../postgres/message-log.ts';
import type { SendOutcome } from '../queue.ts';
import { sqsDeduplicationId, writeEnvelope, type Envelope } from './envelope.ts';

/** What goes out as one message: a sealed body, or the wish that dead letters be put in line. */
export interface Parcel {
  groupId: string;
  deduplicationId: string;
  content: { body: Buffer } | { redrive: string[] };
}

export interface SendDeps {
  sqs: SQSClient;
  queueUrl: string;
  messages: Pick<MessageLog, 'look' | 'keep'>;
}

/** In the order of the parcels: what became of each. */
export type SendTogether = (parcels: readonly Parcel[]) => Promise<(SendOutcome | Error)[]>;

const mostInlineBytes = sqsBatchBytes - sqsEnvelopeBytes;

/** Bytes it takes in a call. */
export function parcelBytes({ content }: Parcel): number {
  if ('redrive' in content) return sqsEnvelopeBytes + JSON.stringify(content).length;
  const bytes = inlineBytes(content.body);
  return sqsEnvelopeBytes + (bytes > mostInlineBytes ? 0 : bytes);
}

function inlineBytes(body: Buffer): number {
  return Math.ceil(body.length / 3) * 4;
}

/** Sends up to ten parcels in one call; repeats are found before it and left out. */
export function makeSendTogether({ sqs, queueUrl, messages }: SendDeps): SendTogether {
  /** What this process sent, by its id there: for as long as Amazon SQS would leave out a repeat without telling. */
  const recent = new LRUCache<string, true>({ max: 100_000, ttl: sqsDeduplicationMs });

  const envelopeOf = async ({ groupId, deduplicationId, content }: Parcel): Promise<Envelope> => {
    if ('redrive' in content) return content;
    if (inlineBytes(content.body) > mostInlineBytes)
      return { deduplicationId, bodyRef: await messages.keep(groupId, content.body) };
    return { deduplicationId, body: content.body.toString('base64') };
  };

  /** Why some were refused, by their ids. */
  const post = async (entries: SendMessageBatchRequestEntry[]): Promise<Map<string, Error>> => {
    if (entries.length === 0) return new Map();
    const { Successful = [], Failed = [] } = await sqs.send(
      new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries: entries }),
      { abortSignal: AbortSignal.timeout(sqsSendTimeoutMs) },
    );
    const failures = new Map(Failed.map(({ Id, Code, Message }) => [Id, new Error(`${Code}: ${Message}`)]));
    const accepted = new Set(Successful.map(({ Id }) => Id));
    const refused = entries.filter(({ Id }) => !accepted.has(Id));
    return new Map(
      refused.map(({ Id = '' }) => [Id, failures.get(Id) ?? new Error('Amazon SQS did not confirm it')]),
    );
  };

  return async (parcels) => {
    const knowledge = await within(sqsLookUpMs, messages.look(parcels));
    const ids = parcels.map(({ groupId, deduplicationId }, index) => {
      const known = knowledge?.[index];
      // Without the database nobody knows whether it failed before; a repeat is found when it is fetched.
      return known === undefined ? randomUUID() : sqsDeduplicationId(groupId, deduplicationId, known.deaths);
    });
    const isFirst = (index: number): boolean => ids.indexOf(ids[index] ?? '') === index;
    const goes = ids.map((id, index) => isFirst(index) && !knowledge?.[index]?.isKnown && !recent.has(id));
    const refused = new Map<string, Error>();
    const writeEntry = async (parcel: Parcel, id: string): Promise<SendMessageBatchRequestEntry[]> => {
      try {
        const MessageBody = writeEnvelope(await envelopeOf(parcel));
        return [{ Id: id, MessageGroupId: parcel.groupId, MessageDeduplicationId: id, MessageBody }];
      } catch (error) {
        refused.set(id, error as Error);
        return [];
      }
    };
    const going = parcels.flatMap((parcel, index) =>
      goes[index] ? [writeEntry(parcel, ids[index] ?? '')] : [],
    );
    const entries = (await Promise.all(going)).flat();
    for (const [id, error] of await post(entries)) refused.set(id, error);
    for (const { Id = '' } of entries) if (!refused.has(Id)) recent.set(Id, true);
    return ids.map((id, index) => refused.get(id) ?? (goes[index] ? 'queued' : 'duplicate'));
  };
}

/** Undefined when it fails or takes longer. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const late = new AbortController();
  const timer = delay(ms, undefined, { signal: late.signal }).catch(() => undefined);
  return Promise.race([work.catch(() => undefined), timer]).finally(() => late.abort());
}
