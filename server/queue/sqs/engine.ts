import { repeat } from '#platform/runtime/repeat.ts';
import { startAll, stopAll } from '#platform/runtime/service.ts';
import { encodeBody } from '../messages/body-coding.ts';
import { maxMessageBytes, pollWaitMs, sqsCollectEveryMs, sqsRetentionMs } from '../policy.ts';
import { makePostgresQueue, type PostgresQueueOptions } from '../postgres/engine.ts';
import { makeMessageLog } from '../postgres/message-log.ts';
import { MessageTooLargeError, type Queue } from '../queue.ts';
import { examineQueue, makeSqsClient, type SqsQueueSettings } from './check-queue.ts';
import { makeSqsDeadLetters } from './dead-letters.ts';
import { fetchMessages } from './fetch.ts';
import { makeOutbox } from './batch-sender.ts';
import { countMessages, deadLetterUrlOf, readAttributes } from './queue-attributes.ts';
import { makeSqsReceiver } from './receive.ts';
import { makeSendTogether } from './send.ts';

export interface SqsQueueOptions extends PostgresQueueOptions, SqsQueueSettings {
  /** How long a receiver waits at Amazon SQS before it looks into the log again. */
  pollMs?: number;
}

/**
 * The queue in Amazon SQS FIFO: what was sent is durable there, and workers move it into the log in Postgres, where it is
 * leased, settled and buried as with the other engine. See docs/decisions/0012-amazon-sqs-buffers-webhooks.md.
 */
export function makeSqsQueue(options: SqsQueueOptions): Queue {
  const { db, sealer, log, queueUrl, wakeUp, sweeps } = options;
  const sqs = makeSqsClient(queueUrl);
  const postgres = makePostgresQueue({ ...options, outsideMs: sqsRetentionMs });
  const messages = makeMessageLog(db);
  const outbox = makeOutbox(makeSendTogether({ sqs, queueUrl, messages }), (isSending) =>
    wakeUp?.noteSending(isSending),
  );
  const fetchDeps = { sqs, log, messages, letters: postgres.deadLetters };
  const receiver = makeSqsReceiver(
    postgres.receive,
    (waitSeconds) => fetchMessages(fetchDeps, queueUrl, waitSeconds),
    options.pollMs ?? pollWaitMs,
  );
  let deadLetterUrl = '';
  // Of receivers that died before they had stored what they got. It never was in a worker's hands.
  const collector = repeat(log, 'SQS dead-letter queue', sqsCollectEveryMs, async (signal) => {
    while (!signal.aborted && (await fetchMessages(fetchDeps, deadLetterUrl, 0)) > 0);
  });
  const duties = [postgres, ...(sweeps ? [collector] : [])];

  return {
    name: 'queue',
    start: async () => {
      const examined = await examineQueue(sqs, options);
      deadLetterUrl = examined.deadLetterUrl;
      for (const { name, problem } of examined.unknowns) log.warn(`${name} ${problem}`);
      await startAll(duties);
    },
    stop: async () => {
      await Promise.all([outbox.idle(), receiver.idle()]);
      await stopAll(duties);
      sqs.destroy();
    },
    send: async ({ groupId, deduplicationId, body }) => {
      if (body.length > maxMessageBytes) throw new MessageTooLargeError(`${body.length} bytes`);
      const sealed = encodeBody(sealer, groupId, body);
      return outbox.send({ groupId, deduplicationId, content: { body: sealed } });
    },
    receive: receiver.receive,
    depth: async () => {
      const stored = await postgres.depth();
      const attributes = await readAttributes(sqs, queueUrl);
      const outside = countMessages(attributes);
      const lettersAt = options.deadLetterUrl ?? deadLetterUrlOf(queueUrl, attributes);
      const uncollected =
        lettersAt === undefined ? 0 : countMessages(await readAttributes(sqs, lettersAt)).ready;
      return {
        ready: stored.ready + outside.ready + uncollected,
        inFlight: stored.inFlight + outside.inFlight,
        dead: stored.dead,
      };
    },
    ping: async () => void (await Promise.all([postgres.ping(), readAttributes(sqs, queueUrl)])),
    deadLetters: makeSqsDeadLetters(postgres.deadLetters, outbox),
  };
}
