import {
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  type Message,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { openMessage } from '../messages/segment.ts';
import { sqsBatchMessages } from '../policy.ts';
import type { MessageLog } from '../postgres/message-log.ts';
import type { DeadLetters, OutgoingMessage } from '../queue.ts';
import { readEnvelope, type Envelope } from './envelope.ts';

export interface FetchDeps extends Pick<SharedDeps, 'log' | 'sealer'> {
  sqs: SQSClient;
  messages: Pick<MessageLog, 'append' | 'appendUnreadable' | 'loadBody'>;
  deadLetters: Pick<DeadLetters, 'redrive'>;
}

/**
 * Moves up to ten messages from Amazon SQS into the log, in order, and deletes them in SQS once they are durable here. Until
 * then SQS gives no other receiver messages of the same groups. Returns the number of messages.
 */
export async function fetchMessages(deps: FetchDeps, queueUrl: string, waitSeconds: number): Promise<number> {
  const { Messages = [] } = await deps.sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: queueUrl,
      MaxNumberOfMessages: sqsBatchMessages,
      WaitTimeSeconds: waitSeconds,
      MessageSystemAttributeNames: ['MessageGroupId'],
    }),
  );
  if (Messages.length === 0) return 0;
  await appendToLog(deps, Messages);
  await deleteFetched(deps, queueUrl, Messages);
  return Messages.length;
}

async function appendToLog(
  { sealer, messages, deadLetters }: FetchDeps,
  received: readonly Message[],
): Promise<void> {
  let run: OutgoingMessage[] = [];
  for (const { MessageId = '', Body = '', Attributes } of received) {
    const groupId = Attributes?.MessageGroupId ?? '';
    const envelope = readEnvelope(Body);
    if (envelope !== undefined && 'redrive' in envelope) {
      await messages.append(run);
      run = [];
      await deadLetters.redrive({ groupId, messageIds: envelope.redrive });
      continue;
    }
    const sealed = envelope && (await sealedBody(messages, groupId, envelope));
    const body = sealed && opened(sealer, groupId, sealed);
    const deduplicationId = envelope?.deduplicationId ?? MessageId;
    if (body === undefined) {
      await messages.append(run);
      run = [];
      // Also a message that Forgewatch did not write. It becomes a dead letter that an operator sees.
      await messages.appendUnreadable({ groupId, deduplicationId, body: sealed ?? Buffer.from(Body) });
    } else run.push({ groupId, deduplicationId, body });
  }
  await messages.append(run);
}

async function sealedBody(
  messages: Pick<MessageLog, 'loadBody'>,
  groupId: string,
  envelope: Exclude<Envelope, { redrive: string[] }>,
): Promise<Buffer> {
  if ('body' in envelope) return Buffer.from(envelope.body, 'base64');
  return (await messages.loadBody(groupId, envelope.bodyRef)) ?? Buffer.alloc(0);
}

function opened(sealer: Sealer, groupId: string, sealed: Buffer): Buffer | undefined {
  try {
    return openMessage(sealer, groupId, sealed);
  } catch {
    return undefined;
  }
}

/** A message that could not be deleted arrives again through the dead-letter queue and is then a duplicate. */
async function deleteFetched(
  { sqs, log }: FetchDeps,
  queueUrl: string,
  received: readonly Message[],
): Promise<void> {
  const Entries = received.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
  const failed = await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries })).then(
    ({ Failed = [] }) => (Failed.length === 0 ? undefined : Failed),
    (error: unknown) => error,
  );
  if (failed !== undefined)
    log.warn({ err: failed }, 'deletion in Amazon SQS failed; the messages will be skipped as duplicates');
}
