import {
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  type Message,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { Log } from '#platform/runtime/log.ts';
import { sqsBatchMessages } from '../policy.ts';
import type { MessageLog } from '../postgres/message-log.ts';
import type { DeadLetters } from '../queue.ts';
import { readEnvelope } from './envelope.ts';

export interface FetchDeps {
  sqs: SQSClient;
  log: Log;
  messages: Pick<MessageLog, 'append' | 'loadBody'>;
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
  { messages, deadLetters }: FetchDeps,
  received: readonly Message[],
): Promise<void> {
  let run: Parameters<MessageLog['append']>[0][number][] = [];
  for (const { MessageId = '', Body = '', Attributes } of received) {
    const groupId = Attributes?.MessageGroupId ?? '';
    const envelope = readEnvelope(Body);
    if (envelope !== undefined && 'redrive' in envelope) {
      await messages.append(run);
      run = [];
      await deadLetters.redrive({ groupId, messageIds: envelope.redrive });
    } else if (envelope === undefined) {
      // Forgewatch did not write this message. It cannot be opened, so it becomes a dead letter that an operator sees.
      run.push({ groupId, deduplicationId: MessageId, body: Buffer.from(Body) });
    } else {
      const body =
        'body' in envelope
          ? Buffer.from(envelope.body, 'base64')
          : await messages.loadBody(groupId, envelope.bodyRef);
      run.push({ groupId, deduplicationId: envelope.deduplicationId, body: body ?? Buffer.alloc(0) });
    }
  }
  await messages.append(run);
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
