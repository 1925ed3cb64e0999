/** A response exceeded the size limit. */
export class ResponseTooLarge extends Error {
  constructor(url: string, maxBytes: number) {
    super(`the response of ${new URL(url).origin} exceeds ${maxBytes} bytes`);
    this.name = 'ResponseTooLarge';
  }
}

/**
 * `fetch` for all calls that read a response. Reads the whole body before it returns and stops at `maxBytes` after
 * decompression, so that libraries neither read endless bodies nor take a broken response for an empty one. The signal
 * of a call also covers the body.
 * @throws ResponseTooLarge
 */
export function boundedFetch(maxBytes: number): typeof globalThis.fetch {
  return async (input, init) => {
    // oxlint-disable-next-line no-restricted-globals -- the only caller of the global fetch
    const answer = await fetch(input, init);
    if (answer.body === null) return answer;
    const { status, statusText, headers, url } = answer;
    const whole = new Response(await readAtMost(maxBytes, answer.body, url), { status, statusText, headers });
    // The constructor of Response does not set `url`.
    return Object.defineProperty(whole, 'url', { value: url });
  };
}

export async function readAtMost(
  maxBytes: number,
  body: AsyncIterable<Uint8Array>,
  url: string,
): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    // Leaving the loop closes the connection.
    if (bytes > maxBytes) throw new ResponseTooLarge(url, maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Reads and discards the body, because some servers fail when it is not read. */
export async function readSome(body: AsyncIterable<Uint8Array>, limit: number): Promise<void> {
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes >= limit) return;
    }
  } catch {
    // The sender closed the connection, or the time is up.
  }
}
