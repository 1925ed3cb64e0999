import { after } from 'node:test';
import { startFauxqs, type FauxqsServer } from 'fauxqs';

/** What the SDK takes from the environment; a server on loopback looks at none of it. */
export const sqsEnv = {
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
} as const;

export interface SqsTestServer {
  server: FauxqsServer;
  /** Makes a queue as `deploy/aws` does, with a dead-letter queue of its own. */
  createQueue(attributes?: Record<string, string>): {
    queueUrl: string;
    name: string;
    deadLetterName: string;
  };
}

/** A server that speaks SQS over HTTP, on a port of its own; stopped when the file ends. */
export async function startSqsServer(): Promise<SqsTestServer> {
  const server = await startFauxqs({
    port: 0,
    host: '127.0.0.1',
    logger: false,
    defaultRegion: sqsEnv.AWS_REGION,
  });
  after(() => server.stop());
  let count = 0;
  return {
    server,
    createQueue: (attributes) => {
      const name = `queue-${(count += 1)}.fifo`;
      const deadLetterName = `queue-${count}-dead.fifo`;
      const { queueArn } = server.createQueue(deadLetterName, {
        attributes: { FifoQueue: 'true', MessageRetentionPeriod: '1209600' },
      });
      server.createQueue(name, {
        attributes: {
          FifoQueue: 'true',
          DeduplicationScope: 'messageGroup',
          FifoThroughputLimit: 'perMessageGroupId',
          MessageRetentionPeriod: '1209600',
          VisibilityTimeout: '1',
          RedrivePolicy: JSON.stringify({ deadLetterTargetArn: queueArn, maxReceiveCount: 1 }),
          ...attributes,
        },
      });
      return { queueUrl: `http://127.0.0.1:${server.port}/000000000000/${name}`, name, deadLetterName };
    },
  };
}
