import { ConfigError, type Config } from '#platform/runtime/config.ts';
import type { Queue } from '#server/queue/queue.ts';
import type { Finding } from './doctor.ts';

type QueueConfig = Pick<Config, 'queueUrl' | 'queueDeadLetterUrl' | 'visibilityTimeoutMs'>;

/** Whether the queue is set up as needed, and what lies in it. */
export async function checkQueue(config: QueueConfig, open: () => Promise<Queue>): Promise<Finding[]> {
  const outside = config.queueUrl === undefined ? [] : await checkSqs(config.queueUrl, config);
  if (outside.some(({ verdict }) => verdict === 'wrong')) return outside;
  return [...outside, await countMessages(await open())];
}

/** A finding for each attribute that is not as it should be. */
async function checkSqs(
  queueUrl: string,
  { queueDeadLetterUrl: deadLetterUrl, visibilityTimeoutMs }: QueueConfig,
): Promise<Finding[]> {
  const check = 'Amazon SQS';
  const { examineQueue, makeSqsClient } = await import('#server/queue/sqs/connect.ts');
  try {
    await examineQueue(makeSqsClient(queueUrl), { queueUrl, deadLetterUrl, visibilityTimeoutMs });
    return [{ check, verdict: 'ok', text: `${queueUrl} is set up as needed` }];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map(({ name, problem }) => ({
      check,
      verdict: 'wrong',
      text: `${name} ${problem}.`,
    }));
  }
}

async function countMessages(queue: Queue): Promise<Finding> {
  const { ready, inFlight, dead } = await queue.depth();
  const counts = `${ready} ready, ${inFlight} in flight, ${dead} dead`;
  if (dead === 0) return { check: 'queue', verdict: 'ok', text: counts };
  return {
    check: 'queue',
    verdict: 'wrong',
    text: `${counts}. See: forgewatch dead-letters list; then redrive or drop them.`,
  };
}
