import { buildSpans } from './build-spans.ts';
import type { TracePart } from './finished-run.ts';
import type { Span } from './span.ts';

/** The body of an OTLP request with these traces. */
export function encodeTraces(parts: readonly TracePart[]): Promise<Buffer> {
  return encodeSpans(parts.flatMap(buildSpans));
}

/** The library takes 20 MiB of memory and is loaded by the first request. */
export async function encodeSpans(spans: Span[]): Promise<Buffer> {
  const { ProtobufTraceSerializer } = await import('@opentelemetry/otlp-transformer');
  const body = ProtobufTraceSerializer.serializeRequest(spans);
  if (body === undefined) throw new Error('spans could not be serialized');
  return Buffer.from(body.buffer, body.byteOffset, body.length);
}
