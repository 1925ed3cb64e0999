import { SQSClient } from '@aws-sdk/client-sqs';
import { ConfigError } from '#platform/runtime/config.ts';
import { sqsConnectTimeoutMs, sqsRequestTimeoutMs } from '../policy.ts';
import { deadLetterQueueFaults, deadLetterUrlOf, queueFaults, readAttributes } from './queue-attributes.ts';

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

/** An address of Amazon's names the region, which the queue cannot be reached in another of. */
function regionOf(queueUrl: string): { region?: string } {
  const region = /^sqs\.([a-z0-9-]+)\.amazonaws\.com/.exec(new URL(queueUrl).hostname)?.[1];
  return region === undefined ? {} : { region };
}

/**
 * Looks whether the queue is what the service needs, and answers where its dead-letter queue is.
 * @throws ConfigError with one fault for each thing that is not.
 */
export async function examineQueue(
  sqs: SQSClient,
  queueUrl: string,
  visibilityTimeoutMs: number,
): Promise<{ deadLetterUrl: string }> {
  await sqs.config.region().catch((error: unknown) => {
    throw fault('AWS_REGION', 'is unset, should be the region of QUEUE_URL, such as eu-central-1', error);
  });
  const attributes = await readAttributes(sqs, queueUrl).catch((error: unknown) => {
    throw unusable('a queue', queueUrl, error);
  });
  const deadLetterUrl = deadLetterUrlOf(queueUrl, attributes);
  const faults = queueFaults(attributes, visibilityTimeoutMs);
  if (deadLetterUrl !== undefined) {
    const letters = await readAttributes(sqs, deadLetterUrl).catch((error: unknown) => {
      throw unusable(`a queue whose dead-letter queue ${deadLetterUrl}`, queueUrl, error);
    });
    faults.push(...deadLetterQueueFaults(letters));
  }
  if (faults.length > 0 || deadLetterUrl === undefined) {
    throw new ConfigError(
      faults.map((each) => ({ name: 'QUEUE_URL', problem: `is ${JSON.stringify(queueUrl)}, whose ${each}` })),
    );
  }
  return { deadLetterUrl };
}

function unusable(what: string, queueUrl: string, error: unknown): ConfigError {
  const { name, message } = error as Error;
  return fault(
    'QUEUE_URL',
    `is ${JSON.stringify(queueUrl)}, should be ${what} that lets us in: ${name}: ${message}`,
    error,
  );
}

function fault(name: string, problem: string, cause: unknown): ConfigError {
  return new ConfigError([{ name, problem }], { cause });
}
