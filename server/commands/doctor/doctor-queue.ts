import { ConfigError, type Config } from '#platform/runtime/settings/config.ts';
import type { SettingFault } from '#platform/runtime/settings/setting.ts';
import type { Queue } from '#server/queue/queue.ts';
import type { Finding } from './finding.ts';

const check = 'Amazon SQS';

type QueueConfig = Pick<Config, 'queueUrl' | 'queueDeadLetterUrl' | 'visibilityTimeoutMs'>;

export async function checkQueue(config: QueueConfig, open: () => Promise<Queue>): Promise<Finding[]> {
  const outside = config.queueUrl === undefined ? [] : await checkSqs(config.queueUrl, config);
  if (outside.some(({ verdict }) => verdict === 'wrong')) return outside;
  return [...outside, await countMessages(await open())];
}

/** A finding for each wrong attribute, or each attribute that the server does not report. */
async function checkSqs(
  queueUrl: string,
  { queueDeadLetterUrl: deadLetterUrl, visibilityTimeoutMs }: QueueConfig,
): Promise<Finding[]> {
  const { checkQueue, makeSqsClient } = await import('#server/queue/sqs/check-queue.ts');
  try {
    const settings = { queueUrl, deadLetterUrl, visibilityTimeoutMs };
    const { unreported } = await checkQueue(makeSqsClient(queueUrl), settings);
    if (unreported.length > 0) return unreported.map((each) => findingOf(each, 'note'));
    return [{ check, verdict: 'ok', text: `${queueUrl} is set up as needed` }];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map((each) => findingOf(each, 'wrong'));
  }
}

function findingOf({ name, problem }: SettingFault, verdict: 'note' | 'wrong'): Finding {
  return { check, verdict, text: `${name} ${problem}.` };
}

async function countMessages(queue: Queue): Promise<Finding> {
  const { ready, inFlight, dead } = await queue.depth();
  const counts = `${ready} ready, ${inFlight} in flight, ${dead} dead`;
  if (dead === 0) return { check: 'queue', verdict: 'ok', text: counts };
  return {
    check: 'queue',
    verdict: 'wrong',
    text: `${counts}. List them with forgewatch dead-letters list, then redrive or drop them.`,
  };
}
