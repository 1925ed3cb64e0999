import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { QueueDepth } from '../queue.ts';
import { deadLetterRetentionMs, maxMessageBytes, messageRetentionMs } from '../policy.ts';

export type QueueAttributes = Readonly<Record<string, string>>;

export async function readAttributes(sqs: SQSClient, queueUrl: string): Promise<QueueAttributes> {
  const command = new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['All'] });
  return (await sqs.send(command)).Attributes ?? {};
}

/** Approximate, as Amazon SQS counts: of a moment ago. */
export function countMessages(attributes: QueueAttributes): Pick<QueueDepth, 'ready' | 'inFlight'> {
  return {
    ready: Number(attributes['ApproximateNumberOfMessages'] ?? 0),
    inFlight: Number(attributes['ApproximateNumberOfMessagesNotVisible'] ?? 0),
  };
}

/** A queue and its dead-letter queue are of one account and region. Undefined when none is named. */
export function deadLetterUrlOf(queueUrl: string, attributes: QueueAttributes): string | undefined {
  const name = redrivePolicy(attributes).deadLetterTargetArn?.split(':').at(-1);
  return name && queueUrl.replace(/[^/]+$/, name);
}

/** What keeps the queue from being used, a sentence each that says what it should be. */
export function queueFaults(attributes: QueueAttributes, visibilityTimeoutMs: number): string[] {
  const exact = [
    ['FifoQueue', 'true'],
    ['DeduplicationScope', 'messageGroup'],
    ['FifoThroughputLimit', 'perMessageGroupId'],
  ] as const;
  const least = [
    ['MaximumMessageSize', maxMessageBytes, ''],
    ['MessageRetentionPeriod', messageRetentionMs / 1000, ''],
    ['VisibilityTimeout', Math.ceil(visibilityTimeoutMs / 1000), ', 1.5 times WORKER_TIMEOUT_SECONDS'],
  ] as const;
  return [
    ...exact.flatMap(([name, wanted]) =>
      attributes[name] === wanted ? [] : [`${name} is ${shown(attributes[name])}, should be ${wanted}`],
    ),
    ...least.flatMap(([name, wanted, why]) =>
      Number(attributes[name]) >= wanted
        ? []
        : [`${name} is ${shown(attributes[name])}, should be at least ${wanted}${why}`],
    ),
    ...sealingFaults(attributes),
    ...redriveFaults(attributes),
  ];
}

export function deadLetterQueueFaults(attributes: QueueAttributes): string[] {
  const wanted = deadLetterRetentionMs / 1000;
  const retention = attributes['MessageRetentionPeriod'];
  return [
    ...(Number(retention) >= wanted
      ? []
      : [`MessageRetentionPeriod is ${shown(retention)}, should be ${wanted}`]),
    ...sealingFaults(attributes),
  ];
}

function redriveFaults(attributes: QueueAttributes): string[] {
  const { deadLetterTargetArn, maxReceiveCount } = redrivePolicy(attributes);
  if (deadLetterTargetArn === undefined)
    return ['RedrivePolicy is unset, should name a dead-letter queue with maxReceiveCount 1'];
  if (Number(maxReceiveCount) === 1) return [];
  return [`RedrivePolicy has maxReceiveCount ${shown(maxReceiveCount)}, should have 1`];
}

/** Bodies are sealed anyhow; who wrote how much to which group is not. */
function sealingFaults(attributes: QueueAttributes): string[] {
  const isSealed =
    attributes['SqsManagedSseEnabled'] === 'true' || attributes['KmsMasterKeyId'] !== undefined;
  return isSealed ? [] : ['SqsManagedSseEnabled is off, should be true, or KmsMasterKeyId set'];
}

function redrivePolicy(attributes: QueueAttributes): {
  deadLetterTargetArn?: string;
  maxReceiveCount?: number | string;
} {
  try {
    return JSON.parse(attributes['RedrivePolicy'] ?? '{}') as ReturnType<typeof redrivePolicy>;
  } catch {
    return {};
  }
}

function shown(value: unknown): string {
  return value === undefined ? 'unset' : JSON.stringify(value);
}
