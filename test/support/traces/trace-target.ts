import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import { buffer } from 'node:stream/consumers';
import { decodeTraces, type ReceivedSpan } from './decode-traces.ts';

export interface TraceRequest {
  headers: IncomingHttpHeaders;
  spans: ReceivedSpan[];
}

/** How a target answers; without one it accepts. `spans` are those of the request. */
export type Answering = (response: ServerResponse, spans: ReceivedSpan[]) => void;

export interface TraceTarget {
  url: string;
  requests: TraceRequest[];
  /** The spans of accepted requests, in the order of arrival. */
  accepted: ReceivedSpan[];
  answerWith(answering: Answering | undefined): void;
}

export interface TraceTargets {
  port: number;
  /** A target that nobody else has. */
  newTarget(): TraceTarget;
}

/** Collectors on one loopback port, each below a path of its own. Stopped when the test file ends. */
export async function startTraceTargets(): Promise<TraceTargets> {
  const targets = new Map<string, TraceTarget & { answering: Answering | undefined }>();
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const target = targets.get(request.url ?? '');
      if (target === undefined || request.headers['content-type'] !== 'application/x-protobuf')
        return void response.writeHead(404).end();
      const spans = decodeTraces(body);
      target.requests.push({ headers: request.headers, spans });
      response.on('finish', () => {
        if (response.statusCode === 200) target.accepted.push(...spans);
      });
      if (target.answering === undefined) response.writeHead(200).end();
      else target.answering(response, spans);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    port,
    newTarget: () => {
      const path = `/target-${targets.size}`;
      const target = {
        url: `http://127.0.0.1:${port}${path}`,
        requests: [],
        accepted: [],
        answering: undefined as Answering | undefined,
        answerWith: (answering: Answering | undefined) => void (target.answering = answering),
      };
      targets.set(`${path}/v1/traces`, target);
      return target;
    },
  };
}
