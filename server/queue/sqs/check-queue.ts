import { SQSClient } from '@aws-sdk/client-sqs';
import { ConfigError } from '#platform/runtime/settings/config.ts';
import type { SettingFault } from '#platform/runtime/settings/setting.ts';
import { sqsConnectTimeoutMs, sqsRequestTimeoutMs } from '../policy.ts';
import { deadLetterUrlOf, checkDeadLetterQueue, checkMainQueue, readAttributes } from './queue-attributes.ts';

/** Region, endpoint and credentials come from the standard AWS variables and files. */
export function makeSqsClient(queueUrl: string): SQSClient {
  const isElsewhere = ['AWS_ENDPOINT_URL_SQS', 'AWS_ENDPOINT_URL'].some((name) => process.env[name]);
  return new SQSClient({
    useQueueUrlAsEndpoint: false,
    ...(isElsewhere ? {} : { endpoint: new URL(queueUrl).origin }),
    ...regionOf(queueUrl),
    requestHandler: { connectionTimeout: sqsConnectTimeoutMs, requestTimeout: sqsRequestTimeoutMs },
  });
}

/** An Amazon SQS URL contains the region, and the queue is reachable in that region only. */
function regionOf(queueUrl: string): { region?: string } {
  const region = /^sqs\.([a-z0-9-]+)\.amazonaws\.com/.exec(new URL(queueUrl).hostname)?.[1];
  return region === undefined ? {} : { region };
}

export interface SqsQueueSettings {
  queueUrl: string;
  /** Only needed when the queue that the redrive policy names has another address. */
  deadLetterUrl: string | undefined;
  visibilityTimeoutMs: number;
}

export interface CheckedQueue {
  deadLetterUrl: string;
  /** Attributes that the server does not report. */
  unreported: SettingFault[];
}

/**
 * Checks the attributes of the queue. Returns the URL of its dead-letter queue.
 * @throws ConfigError with one fault for each wrong attribute.
 */
export async function checkQueue(
  sqs: SQSClient,
  { queueUrl, deadLetterUrl: given, visibilityTimeoutMs }: SqsQueueSettings,
): Promise<CheckedQueue> {
  await sqs.config.region().catch((error: unknown) => {
    const problem = 'is unset, should be the region of QUEUE_URL, such as eu-central-1';
    throw new ConfigError([{ name: 'AWS_REGION', problem }], { cause: error });
  });
  const attributes = await readAttributes(sqs, queueUrl).catch((error: unknown) => {
    throw unusable('QUEUE_URL', queueUrl, error);
  });
  const named = deadLetterUrlOf(queueUrl, attributes);
  const main = checkMainQueue(attributes, visibilityTimeoutMs);
  const faults = main.faults.map((each) => faultOf('QUEUE_URL', queueUrl, each));
  if (named === undefined) throw new ConfigError(faults);
  const deadLetterUrl = given ?? named;
  if (nameIn(deadLetterUrl) !== nameIn(named)) {
    const problem = `is ${JSON.stringify(given)}, should be ${named}, which the redrive policy of QUEUE_URL names`;
    throw new ConfigError([...faults, { name: 'QUEUE_DLQ_URL', problem }]);
  }
  const deadLetters = await readAttributes(sqs, deadLetterUrl).catch((error: unknown) => {
    throw unusable('QUEUE_DLQ_URL', deadLetterUrl, error);
  });
  const dead = checkDeadLetterQueue(deadLetters);
  faults.push(...dead.faults.map((each) => faultOf('QUEUE_DLQ_URL', deadLetterUrl, each)));
  if (faults.length > 0) throw new ConfigError(faults);
  return {
    deadLetterUrl,
    unreported: [
      ...main.unreported.map((each) => faultOf('QUEUE_URL', queueUrl, each)),
      ...dead.unreported.map((each) => faultOf('QUEUE_DLQ_URL', deadLetterUrl, each)),
    ],
  };
}

function faultOf(name: string, url: string, fault: string): SettingFault {
  return { name, problem: `is ${JSON.stringify(url)}, whose ${fault}` };
}

function unusable(setting: string, url: string, error: unknown): ConfigError {
  const { name, message } = error as Error;
  const problem = `is ${JSON.stringify(url)}, should be a queue that lets us in: ${name}: ${message}`;
  return new ConfigError([{ name: setting, problem }], { cause: error });
}

function nameIn(queueUrl: string): string | undefined {
  return queueUrl.split('/').at(-1);
}
