import type { ReadableStream } from 'node:stream/web';

/** The chunks of an answer; throws when there are more than `mostBytes`, as an answer may have no end. */
export async function* boundedBody(
  body: ReadableStream<Uint8Array>,
  mostBytes: number,
): AsyncIterable<Uint8Array> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw new Error(`the answer is longer than ${mostBytes} bytes`);
    yield chunk;
  }
}
