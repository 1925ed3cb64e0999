import { createHash } from 'node:crypto';
import { repeat } from '#platform/runtime/tasks/repeat.ts';
import { untilDone } from '#platform/runtime/tasks/until-done.ts';
import { startAll, stopAll } from '#platform/runtime/service.ts';
import { sealMessage } from '../messages/segment.ts';
import { maxMessageBytes, pollWaitMs, sqsCollectEveryMs, sqsRetentionMs, sweepBatch } from '../policy.ts';
import { makePostgresQueue, type PostgresQueueOptions } from '../postgres/engine.ts';
import { makeMessageLog } from '../postgres/message-log.ts';
import { MessageTooLargeError, type Queue, type DeadLetterFilter, type DeadLetters } from '../queue.ts';
import { checkQueue, makeSqsClient, type SqsQueueSettings } from './check-queue.ts';
import { fetchMessages } from './fetch.ts';
import { countMessages, deadLetterUrlOf, readAttributes } from './queue-attributes.ts';
import { makeSqsReceiver } from './receive.ts';
import { makeSendBatch, makeSqsSender, type SqsSender } from './send.ts';

export interface SqsQueueOptions extends PostgresQueueOptions, SqsQueueSettings {
  /** How long a receiver waits at Amazon SQS before it checks the log again. */
  pollMs?: number;
}

/**
 * Amazon SQS FIFO in front of the Postgres engine: a sent message is durable in SQS, and workers move it into the log in
 * Postgres, which handles it as usual. See docs/decisions/0012-amazon-sqs-buffers-webhooks.md.
 */
export function makeSqsQueue(options: SqsQueueOptions): Queue {
  const { sealer, log, queueUrl, sweeps } = options;
  const sqs = makeSqsClient(queueUrl);
  const postgres = makePostgresQueue({ ...options, maxBufferedMs: sqsRetentionMs });
  const messages = makeMessageLog(options);
  const sender = makeSqsSender(makeSendBatch({ sqs, queueUrl, log: messages }));
  const fetchDeps = { sqs, log, sealer, messages, deadLetters: postgres.deadLetters };
  const receiver = makeSqsReceiver(
    postgres.receive,
    (waitSeconds) => fetchMessages(fetchDeps, queueUrl, waitSeconds),
    options.pollMs ?? pollWaitMs,
  );
  let deadLetterUrl = '';
  // Messages of receivers that died before they stored them. No worker has processed these messages.
  const collector = repeat(log, 'SQS dead-letter queue', sqsCollectEveryMs, (signal) =>
    untilDone(signal, () => fetchMessages(fetchDeps, deadLetterUrl, 0)),
  );
  const tasks = [postgres, ...(sweeps ? [collector] : [])];

  return {
    name: 'queue',
    start: async () => {
      const checked = await checkQueue(sqs, options);
      deadLetterUrl = checked.deadLetterUrl;
      for (const { name, problem } of checked.unreported) log.warn(`${name} ${problem}`);
      await startAll(tasks);
    },
    stop: async () => {
      await Promise.all([sender.idle(), receiver.idle()]);
      await stopAll(tasks);
      sqs.destroy();
    },
    send: async ({ groupId, deduplicationId, body }) => {
      if (body.length > maxMessageBytes) throw new MessageTooLargeError(`${body.length} bytes`);
      const sealed = sealMessage(sealer, { groupId, body });
      return sender.add({ groupId, deduplicationId, content: { body: sealed } });
    },
    receive: receiver.receive,
    depth: async () => {
      const stored = await postgres.depth();
      const attributes = await readAttributes(sqs, queueUrl);
      const outside = countMessages(attributes);
      const deadLettersAt = options.deadLetterUrl ?? deadLetterUrlOf(queueUrl, attributes);
      const uncollected =
        deadLettersAt === undefined ? 0 : countMessages(await readAttributes(sqs, deadLettersAt)).ready;
      return {
        ready: stored.ready + outside.ready + uncollected,
        inFlight: stored.inFlight + outside.inFlight,
        dead: stored.dead,
        oldestSeconds: stored.oldestSeconds,
      };
    },
    ping: async () => void (await Promise.all([postgres.ping(), readAttributes(sqs, queueUrl)])),
    deadLetters: makeSqsDeadLetters(postgres.deadLetters, sender),
  };
}

/**
 * Dead letters are stored in the log. A retry sends their ids through Amazon SQS to keep the order: after earlier messages,
 * before later ones. They stay dead letters until a worker fetches that message.
 */
function makeSqsDeadLetters(deadLetters: DeadLetters, sender: SqsSender): DeadLetters {
  return {
    ...deadLetters,
    redrive: async (filter) => {
      let total = 0;
      for (const [groupId, ids] of await findDeadLetters(deadLetters, filter)) {
        total += ids.length;
        for (let start = 0; start < ids.length; start += sweepBatch) {
          const redrive = ids.slice(start, start + sweepBatch);
          const deduplicationId = createHash('sha256').update(redrive.join()).digest('hex');
          await sender.add({ groupId, deduplicationId, content: { redrive } });
        }
      }
      return total;
    },
  };
}

/** Ids by group, oldest first. */
async function findDeadLetters(
  deadLetters: DeadLetters,
  { groupId, messageIds }: DeadLetterFilter,
): Promise<Map<string, string[]>> {
  const named = messageIds && new Set(messageIds);
  const found = new Map<string, string[]>();
  for (let after: string | undefined; ;) {
    const page = await deadLetters.list({
      limit: sweepBatch,
      ...(groupId === undefined ? {} : { groupId }),
      ...(after === undefined ? {} : { after }),
    });
    for (const deadLetter of page) {
      if (named?.has(deadLetter.messageId) === false) continue;
      const ids = found.get(deadLetter.groupId);
      if (ids === undefined) found.set(deadLetter.groupId, [deadLetter.messageId]);
      else ids.push(deadLetter.messageId);
    }
    after = page.at(-1)?.messageId;
    if (after === undefined) return found;
  }
}
