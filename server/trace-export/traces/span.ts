import type { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import packageJson from '../../../package.json' with { type: 'json' };
import type { Attributes } from './attributes.ts';

/** A span as the serializer takes it. */
export type Span = Parameters<typeof ProtobufTraceSerializer.serializeRequest>[0][number];

export interface NewSpan {
  id: string;
  /** Undefined for the root. */
  parent?: string;
  name: string;
  isServer?: boolean;
  /** Milliseconds since the epoch. */
  start: number;
  end: number;
  conclusion: string | null;
  isError: boolean;
  attributes: Attributes;
  /** The root of the previous attempt. */
  link?: { traceId: string; spanId: string };
}

export const schemaUrl = 'https://opentelemetry.io/schemas/1.40.0';
export const instrumentationScope = { name: 'forgewatch', version: packageJson.version, schemaUrl };
const sampled = 1;
/** Numbers of the OpenTelemetry API. The serializer adds one to a kind. */
const kinds = { internal: 0, server: 1 } as const;
const codes = { unset: 0, ok: 1, error: 2 } as const;

/** All spans of a part share one resource object, by which the serializer groups them. */
export function makeSpanFactory(traceId: string, attributes: Attributes): (span: NewSpan) => Span {
  const resource = { attributes, schemaUrl } as unknown as Span['resource'];
  const contextOf = (spanId: string, trace = traceId) => ({ traceId: trace, spanId, traceFlags: sampled });
  return ({ id, parent, name, isServer, start, end, conclusion, isError, attributes: own, link }) => ({
    name,
    kind: isServer === true ? kinds.server : kinds.internal,
    spanContext: () => contextOf(id),
    ...(parent === undefined ? {} : { parentSpanContext: contextOf(parent) }),
    startTime: timeOf(start),
    // Forges report skipped jobs and steps with an end before the start.
    endTime: timeOf(Math.max(start, end)),
    status: { code: codeOf(conclusion, isError), ...(conclusion === null ? {} : { message: conclusion }) },
    attributes: own,
    links: link === undefined ? [] : [{ context: contextOf(link.spanId, link.traceId) }],
    events: [],
    duration: [0, 0],
    ended: true,
    resource,
    instrumentationScope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  });
}

function codeOf(conclusion: string | null, isError: boolean): 0 | 1 | 2 {
  if (isError) return codes.error;
  return conclusion === 'success' ? codes.ok : codes.unset;
}

/** Seconds and nanoseconds. */
export function timeOf(ms: number): [number, number] {
  const seconds = Math.floor(ms / 1000);
  return [seconds, (ms - seconds * 1000) * 1e6];
}
