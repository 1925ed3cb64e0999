import { after } from 'node:test';
import { json } from 'node:stream/consumers';
import { startFauxqs, type FauxqsServer } from 'fauxqs';
import { serve } from '#test/support/network/serve.ts';

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

/** What ElasticMQ 1.7 reports of no queue. */
export const unreportedByElasticMq = [
  'DeduplicationScope',
  'FifoThroughputLimit',
  'MaximumMessageSize',
  'MessageRetentionPeriod',
  'SqsManagedSseEnabled',
];

/** The same server behind one that leaves attributes out of its answers; resolves to the queue's address there. */
export async function leaveOutAttributes(queueUrl: string, names: readonly string[]): Promise<string> {
  const { port } = await serve(async (request, response) => {
    const asked = await fetch(new URL(queueUrl).origin, {
      method: 'POST',
      headers: Object.entries(request.headers).flatMap(([name, value]) =>
        /^(content-type|x-amz-.*|authorization)$/.test(name) ? [[name, String(value)]] : [],
      ),
      body: JSON.stringify(await json(request)),
    });
    const answer = (await asked.json()) as { Attributes?: Record<string, string> };
    for (const name of names) delete answer.Attributes?.[name];
    response.writeHead(asked.status, { 'content-type': asked.headers.get('content-type') ?? '' });
    response.end(JSON.stringify(answer));
  });
  return queueUrl.replace(new URL(queueUrl).host, `127.0.0.1:${port}`);
}
