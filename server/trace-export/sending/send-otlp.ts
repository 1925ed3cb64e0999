import { GuardedFetchError, type GuardedFetch } from '#platform/http/outgoing/guarded-fetch.ts';

/** Where an integration exports to. */
export interface Target {
  url: string;
  headers: Record<string, string>;
}

export interface SendResult {
  sent: boolean;
  statusCode: number | null;
  /** For people, without a part of the answer. Also of a request that was accepted in part. */
  problem: string | null;
  /** The header `Retry-After`. */
  retryAfter: string | null;
}

/** What a request exports, and the last part of its path. */
export type Signal = 'traces' | 'metrics';

const maxAnswerBytes = 16_384;

/** Sends the body of an OTLP request. Never rejects, also not when it is ended. */
export async function sendOtlp(
  guardedFetch: Pick<GuardedFetch, 'request'>,
  { url, headers }: Target,
  signal: Signal,
  body: Buffer,
  totalMs: number,
  ending?: AbortSignal,
): Promise<SendResult> {
  const unsent = { sent: false, statusCode: null, retryAfter: null };
  try {
    const answer = await guardedFetch.request(`${url}/v1/${signal}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/x-protobuf', 'user-agent': 'Forgewatch' },
      body,
      totalMs,
      ...(ending && { signal: ending }),
    });
    const { status } = answer;
    const after = answer.headers['retry-after'];
    const sent = status >= 200 && status < 300;
    const read = await readSome(answer.body);
    const isProtobuf = String(answer.headers['content-type']).startsWith('application/x-protobuf');
    return {
      sent,
      statusCode: status,
      problem: sent ? await rejectionIn(signal, isProtobuf ? read : undefined) : refusalOf(status),
      retryAfter: typeof after === 'string' ? after : null,
    };
  } catch (error) {
    const problem = error instanceof GuardedFetchError ? error.message : 'The request could not be sent.';
    return { ...unsent, problem };
  }
}

function refusalOf(status: number): string {
  const redirect = status >= 300 && status < 400 ? ' Redirects are not followed: enter the final URL.' : '';
  return `The target answered ${status}.${redirect}`;
}

/** Reads the whole answer, because some servers fail when it is not read. Undefined when it is too long or breaks. */
async function readSome(body: AsyncIterable<Uint8Array>): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > maxAnswerBytes) return undefined;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch {
    return undefined;
  }
}

/** A target may accept a request and reject a part of it. OTLP forbids to send that part again. */
async function rejectionIn(signal: Signal, answer: Uint8Array | undefined): Promise<string | null> {
  if (answer === undefined || answer.length === 0) return null;
  try {
    const { count, what } = await rejectedOf(signal, answer);
    return count > 0 ? `The target accepted a request and rejected ${count} of its ${what}.` : null;
  } catch {
    return null;
  }
}

/** @throws when the answer is not of OTLP */
async function rejectedOf(signal: Signal, answer: Uint8Array): Promise<{ count: number; what: string }> {
  const { ProtobufMetricsSerializer, ProtobufTraceSerializer } =
    await import('@opentelemetry/otlp-transformer');
  if (signal === 'traces') {
    const { partialSuccess } = ProtobufTraceSerializer.deserializeResponse(answer);
    return { count: partialSuccess?.rejectedSpans ?? 0, what: 'spans' };
  }
  const { partialSuccess } = ProtobufMetricsSerializer.deserializeResponse(answer);
  return { count: partialSuccess?.rejectedDataPoints ?? 0, what: 'data points' };
}
