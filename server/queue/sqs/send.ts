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
  sqsBatchMessages,
  sqsConcurrentSends,
  sqsDeduplicationMs,
  sqsDuplicateCheckMs,
  sqsEnvelopeBytes,
  webhookAnswerMs,
} from '../policy.ts';
import { makeBatcher, type Batcher } from '#platform/runtime/tasks/batcher.ts';
import type { MessageLog } from '../postgres/message-log.ts';
import type { EnqueueResult } from '../queue.ts';
import { sqsDeduplicationId, writeEnvelope, type Envelope } from './envelope.ts';

/** A sealed body, or a request to retry dead letters. */
export interface SqsMessage {
  groupId: string;
  deduplicationId: string;
  content: { body: Buffer } | { redrive: string[] };
}

export interface SendDeps {
  sqs: SQSClient;
  queueUrl: string;
  log: Pick<MessageLog, 'checkDuplicates' | 'storeBody'>;
}

/** Returns one result for each message, in the same order. */
export type SendBatch = (messages: readonly SqsMessage[]) => Promise<(EnqueueResult | Error)[]>;

export type SqsSender = Batcher<SqsMessage, EnqueueResult>;

/**
 * Concurrent messages share calls to Amazon SQS. Several calls run at a time, but never two with the same group, so the
 * order within a group is kept.
 */
export function makeSqsSender(sendBatch: SendBatch): SqsSender {
  return makeBatcher({
    maxItems: sqsBatchMessages,
    maxWeight: sqsBatchBytes,
    weigh: sqsMessageBytes,
    keyOf: ({ groupId }) => groupId,
    concurrency: sqsConcurrentSends,
    work: sendBatch,
  });
}

const maxInlineBytes = sqsBatchBytes - sqsEnvelopeBytes;

/** Upper bound on the bytes of a message in a call to Amazon SQS. */
export function sqsMessageBytes({ content }: SqsMessage): number {
  if ('redrive' in content) return sqsEnvelopeBytes + JSON.stringify(content).length;
  const bytes = base64Bytes(content.body);
  return sqsEnvelopeBytes + (bytes > maxInlineBytes ? 0 : bytes);
}

function base64Bytes(body: Buffer): number {
  return Math.ceil(body.length / 3) * 4;
}

/** Sends up to ten messages in one call. Duplicates are found before the call and are not sent. */
export function makeSendBatch({ sqs, queueUrl, log }: SendDeps): SendBatch {
  /** Ids that this process sent. Amazon SQS drops a repeat silently for as long as an id is in here. */
  const recent = new LRUCache<string, true>({ max: 100_000, ttl: sqsDeduplicationMs });

  const envelopeOf = async ({ groupId, deduplicationId, content }: SqsMessage): Promise<Envelope> => {
    if ('redrive' in content) return content;
    if (base64Bytes(content.body) > maxInlineBytes)
      return { deduplicationId, bodyRef: await log.storeBody(groupId, content.body) };
    return { deduplicationId, body: content.body.toString('base64') };
  };

  /** Returns an error for each entry that Amazon SQS did not accept, by id. */
  const sendEntries = async (entries: SendMessageBatchRequestEntry[]): Promise<Map<string, Error>> => {
    if (entries.length === 0) return new Map();
    const { Successful = [], Failed = [] } = await sqs.send(
      new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries: entries }),
      { abortSignal: AbortSignal.timeout(webhookAnswerMs) },
    );
    const failures = new Map(Failed.map(({ Id, Code, Message }) => [Id, new Error(`${Code}: ${Message}`)]));
    const accepted = new Set(Successful.map(({ Id }) => Id));
    const refused = entries.filter(({ Id }) => !accepted.has(Id));
    return new Map(
      refused.map(({ Id = '' }) => [
        Id,
        failures.get(Id) ?? new Error('Amazon SQS did not confirm the message'),
      ]),
    );
  };

  return async (messages) => {
    const checks = await within(sqsDuplicateCheckMs, log.checkDuplicates(messages));
    const ids = messages.map(({ groupId, deduplicationId }, index) => {
      const check = checks?.[index];
      // The number of earlier failures is unknown without the database. The fetch finds a duplicate.
      return check === undefined ? randomUUID() : sqsDeduplicationId(groupId, deduplicationId, check.deaths);
    });
    const isFirst = (index: number): boolean => ids.indexOf(ids[index] ?? '') === index;
    const isNew = ids.map((id, index) => isFirst(index) && !checks?.[index]?.isKnown && !recent.has(id));
    const refused = new Map<string, Error>();
    const writeEntry = async (message: SqsMessage, id: string): Promise<SendMessageBatchRequestEntry[]> => {
      try {
        const MessageBody = writeEnvelope(await envelopeOf(message));
        return [{ Id: id, MessageGroupId: message.groupId, MessageDeduplicationId: id, MessageBody }];
      } catch (error) {
        refused.set(id, error as Error);
        return [];
      }
    };
    const writing = messages.flatMap((message, index) =>
      isNew[index] ? [writeEntry(message, ids[index] ?? '')] : [],
    );
    const entries = (await Promise.all(writing)).flat();
    for (const [id, error] of await sendEntries(entries)) refused.set(id, error);
    for (const { Id = '' } of entries) if (!refused.has(Id)) recent.set(Id, true);
    return ids.map((id, index) => refused.get(id) ?? (isNew[index] ? 'queued' : 'duplicate'));
  };
}

/** Undefined when `work` fails or takes longer than `ms`. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const late = new AbortController();
  const timer = delay(ms, undefined, { signal: late.signal }).catch(() => undefined);
  return Promise.race([work.catch(() => undefined), timer]).finally(() => late.abort());
}
