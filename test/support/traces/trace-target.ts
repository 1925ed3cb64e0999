import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { decodeMetrics, type ReceivedMetric } from './decode-metrics.ts';
import { decodeTraces, type ReceivedSpan } from './decode-traces.ts';
import { serve } from '#test/support/network/serve.ts';

export interface TraceRequest {
  headers: IncomingHttpHeaders;
  spans: ReceivedSpan[];
}

export interface MetricRequest {
  headers: IncomingHttpHeaders;
  metrics: ReceivedMetric[];
}

/** How a target answers; without one it accepts. `spans` are those of the request. */
export type Answering = (response: ServerResponse, spans: ReceivedSpan[]) => void;

export interface TraceTarget {
  url: string;
  requests: TraceRequest[];
  /** The spans of accepted requests, in the order of arrival. */
  accepted: ReceivedSpan[];
  answerWith(answering: Answering | undefined): void;
  metricRequests: MetricRequest[];
  answerMetricsWith(answering: ((response: ServerResponse) => void) | undefined): void;
}

export interface TraceTargets {
  port: number;
  /** A target that nobody else has. */
  newTarget(): TraceTarget;
}

/** Collectors on one loopback port, each below a path of its own. Stopped when the test file ends. */
export async function startTraceTargets(): Promise<TraceTargets> {
  const accept = (response: ServerResponse): void => void response.writeHead(200).end();
  type Served = TraceTarget & { answering: Answering | undefined; answeringMetrics: typeof accept };
  const targets = new Map<string, Served>();
  const { url, port } = await serve((request, response) => {
    void buffer(request).then((body) => {
      const [, path = '', signal] = /^(.*)\/v1\/(traces|metrics)$/.exec(request.url ?? '') ?? [];
      const target = targets.get(path);
      if (target === undefined || request.headers['content-type'] !== 'application/x-protobuf')
        return void response.writeHead(404).end();
      if (signal === 'metrics') {
        target.metricRequests.push({ headers: request.headers, metrics: decodeMetrics(body) });
        return target.answeringMetrics(response);
      }
      const spans = decodeTraces(body);
      target.requests.push({ headers: request.headers, spans });
      response.on('finish', () => {
        if (response.statusCode === 200) target.accepted.push(...spans);
      });
      if (target.answering === undefined) accept(response);
      else target.answering(response, spans);
    });
  });
  return {
    port,
    newTarget: () => {
      const path = `/target-${targets.size}`;
      const target: Served = {
        url: url + path,
        requests: [],
        accepted: [],
        answering: undefined,
        answerWith: (answering) => void (target.answering = answering),
        metricRequests: [],
        answeringMetrics: accept,
        answerMetricsWith: (answering) => void (target.answeringMetrics = answering ?? accept),
      };
      targets.set(path, target);
      return target;
    },
  };
}
