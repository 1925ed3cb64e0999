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
  messages: Pick<MessageLog, 'append' | 'find'>;
  letters: Pick<DeadLetters, 'redrive'>;
}

/**
 * Moves up to ten messages from Amazon SQS into the log, in order, and removes them there once they are durable here. Amazon
 * SQS gives nobody else the groups they are of until then. Answers how many.
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
  await takeIn(deps, Messages);
  await remove(deps, queueUrl, Messages);
  return Messages.length;
}

async function takeIn({ messages, letters }: FetchDeps, received: readonly Message[]): Promise<void> {
  let run: Parameters<MessageLog['append']>[0][number][] = [];
  for (const { MessageId = '', Body = '', Attributes } of received) {
    const groupId = Attributes?.MessageGroupId ?? '';
    const envelope = readEnvelope(Body);
    if (envelope !== undefined && 'redrive' in envelope) {
      await messages.append(run);
      run = [];
      await letters.redrive({ groupId, messageIds: envelope.redrive });
    } else if (envelope === undefined) {
      // Not ours: it does not open, and lies among the dead letters for somebody to look at.
      run.push({ groupId, deduplicationId: MessageId, body: Buffer.from(Body) });
    } else {
      const body =
        'body' in envelope
          ? Buffer.from(envelope.body, 'base64')
          : await messages.find(groupId, envelope.bodyRef);
      run.push({ groupId, deduplicationId: envelope.deduplicationId, body: body ?? Buffer.alloc(0) });
    }
  }
  await messages.append(run);
}

/** What could not be removed comes once more by the dead-letter queue, and is then known. */
async function remove(
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
    log.warn({ err: failed }, 'Amazon SQS keeps messages that were fetched; they will be recognised');
}
