import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { QueueDepth } from '../queue.ts';
import { deadLetterRetentionMs, maxMessageBytes, messageRetentionMs } from '../policy.ts';

export type QueueAttributes = Readonly<Record<string, string>>;

export async function readAttributes(sqs: SQSClient, queueUrl: string): Promise<QueueAttributes> {
  const command = new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['All'] });
  return (await sqs.send(command)).Attributes ?? {};
}

/** Approximate, as reported by Amazon SQS. */
export function countMessages(attributes: QueueAttributes): Pick<QueueDepth, 'ready' | 'inFlight'> {
  return {
    ready: Number(attributes['ApproximateNumberOfMessages'] ?? 0),
    inFlight: Number(attributes['ApproximateNumberOfMessagesNotVisible'] ?? 0),
  };
}

/** A queue and its dead-letter queue share account and region. Undefined without a redrive policy. */
export function deadLetterUrlOf(queueUrl: string, attributes: QueueAttributes): string | undefined {
  const name = redrivePolicy(attributes).deadLetterTargetArn?.split(':').at(-1);
  return name && queueUrl.replace(/[^/]+$/, name);
}

/** Problems of a queue, each with the expected value of the attribute. */
export interface QueueCheck {
  /** Wrong attributes. The queue cannot be used. */
  faults: string[];
  /** Attributes that the server does not report, as some servers other than Amazon's. The operator has to check them. */
  unreported: string[];
}

interface Expectation {
  name: string;
  wanted: string;
  isRight(value: string): boolean;
}

const exactly = (name: string, wanted: string): Expectation => ({
  name,
  wanted,
  isRight: (value) => value === wanted,
});

const atLeast = (name: string, least: number, why = ''): Expectation => ({
  name,
  wanted: `at least ${least}${why}`,
  isRight: (value) => Number(value) >= least,
});

export function checkMainQueue(attributes: QueueAttributes, visibilityTimeoutMs: number): QueueCheck {
  const found = check(attributes, [
    exactly('DeduplicationScope', 'messageGroup'),
    exactly('FifoThroughputLimit', 'perMessageGroupId'),
    atLeast('MaximumMessageSize', maxMessageBytes),
    atLeast('MessageRetentionPeriod', messageRetentionMs / 1000),
    atLeast('VisibilityTimeout', Math.ceil(visibilityTimeoutMs / 1000), ', 1.5 times WORKER_TIMEOUT_SECONDS'),
    ...encryption(attributes),
  ]);
  return { ...found, faults: [...found.faults, ...fifoFaults(attributes), ...redriveFaults(attributes)] };
}

export function checkDeadLetterQueue(attributes: QueueAttributes): QueueCheck {
  return check(attributes, [
    exactly('MessageRetentionPeriod', String(deadLetterRetentionMs / 1000)),
    ...encryption(attributes),
  ]);
}

function check(attributes: QueueAttributes, expectations: readonly Expectation[]): QueueCheck {
  const faults: string[] = [];
  const unreported: string[] = [];
  for (const { name, wanted, isRight } of expectations) {
    const value = attributes[name];
    if (value === undefined) unreported.push(`${name} is not reported, should be ${wanted}`);
    else if (!isRight(value)) faults.push(`${name} is ${shown(value)}, should be ${wanted}`);
  }
  return { faults, unreported };
}

/** Bodies are sealed before they are sent. Group names and times are not, so the queue must be encrypted. */
function encryption({ KmsMasterKeyId }: QueueAttributes): Expectation[] {
  if (KmsMasterKeyId !== undefined) return [];
  return [{ ...exactly('SqsManagedSseEnabled', 'true'), wanted: 'true, or KmsMasterKeyId set' }];
}

/** Amazon SQS reports this attribute for FIFO queues only. */
function fifoFaults({ FifoQueue }: QueueAttributes): string[] {
  return FifoQueue === 'true' ? [] : [`FifoQueue is ${shown(FifoQueue)}, should be true`];
}

function redriveFaults(attributes: QueueAttributes): string[] {
  const { deadLetterTargetArn, maxReceiveCount } = redrivePolicy(attributes);
  if (deadLetterTargetArn === undefined)
    return ['RedrivePolicy is unset, should name a dead-letter queue with maxReceiveCount 1'];
  if (Number(maxReceiveCount) === 1) return [];
  return [`RedrivePolicy has maxReceiveCount ${shown(maxReceiveCount)}, should have 1`];
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
