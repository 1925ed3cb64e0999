import { otlpMessage, valuesOf, type Pair } from './otlp-message.ts';

/** One span as a receiver sees it, with the attributes of its resource. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  kind: number;
  startMs: number;
  endMs: number;
  status: number;
  message: string;
  attributes: Record<string, unknown>;
  links: { traceId: string; spanId: string }[];
  resource: Record<string, unknown>;
}

const request = otlpMessage('trace', 'ExportTraceServiceRequest');

interface DecodedSpan {
  traceId: Uint8Array;
  spanId: Uint8Array;
  parentSpanId: Uint8Array;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status: { code?: number; message?: string };
  attributes: Pair[];
  links: { traceId: Uint8Array; spanId: Uint8Array }[];
}

interface Decoded {
  resourceSpans: { resource: { attributes: Pair[] }; scopeSpans: { spans: DecodedSpan[] }[] }[];
}

/** The spans of the body of an OTLP request, in its order. */
export function decodeTraces(body: Uint8Array): ReceivedSpan[] {
  const { resourceSpans } = request(body) as Decoded;
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) => spans.map((span) => received(span, valuesOf(resource.attributes)))),
  );
}

function received(span: DecodedSpan, resource: Record<string, unknown>): ReceivedSpan {
  const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
  const msOf = (nanos: string): number => Number(BigInt(nanos) / 1_000_000n);
  return {
    traceId: hex(span.traceId),
    spanId: hex(span.spanId),
    parentSpanId: hex(span.parentSpanId),
    name: span.name,
    kind: span.kind,
    startMs: msOf(span.startTimeUnixNano),
    endMs: msOf(span.endTimeUnixNano),
    status: span.status.code ?? 0,
    message: span.status.message ?? '',
    attributes: valuesOf(span.attributes),
    links: span.links.map(({ traceId, spanId }) => ({ traceId: hex(traceId), spanId: hex(spanId) })),
    resource,
  };
}
