import { randomBytes } from 'node:crypto';
import { encodeSpans } from './encode-traces.ts';
import { makeSpanFactory } from './span.ts';

/** The body of an OTLP request with one span that no run has. */
export async function encodeTestTrace(now: number): Promise<Buffer> {
  const make = makeSpanFactory(randomBytes(16).toString('hex'), { 'service.name': 'forgewatch' });
  const span = { id: randomBytes(8).toString('hex'), name: 'Forgewatch test', start: now, end: now };
  return encodeSpans([make({ ...span, conclusion: 'success', isError: false, attributes: {} })]);
}
