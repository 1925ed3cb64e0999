/** An answer from outside was larger than anything that is expected there. */
export class AnswerTooLarge extends Error {
  constructor(url: string, maxBytes: number) {
    super(`the answer of ${new URL(url).origin} has more than ${maxBytes} bytes`);
    this.name = 'AnswerTooLarge';
  }
}

/**
 * `fetch` for all calls that read what is answered. It reads the whole answer before it returns and stops at `maxBytes`
 * after decompression, so libraries cannot be made to read without end, nor mistake a broken answer for an empty one.
 * The signal of a call therefore covers the body too.
 * @throws AnswerTooLarge
 */
export function boundedFetch(maxBytes: number): typeof globalThis.fetch {
  return async (input, init) => {
    // oxlint-disable-next-line no-restricted-globals -- the one place that calls it
    const answer = await fetch(input, init);
    if (answer.body === null) return answer;
    const { status, statusText, headers, url } = answer;
    const whole = new Response(await readAtMost(maxBytes, answer.body, url), { status, statusText, headers });
    // A response that is made from parts has none.
    return Object.defineProperty(whole, 'url', { value: url });
  };
}

async function readAtMost(
  maxBytes: number,
  body: AsyncIterable<Uint8Array>,
  url: string,
): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    // Leaving the loop ends the connection.
    if (bytes > maxBytes) throw new AnswerTooLarge(url, maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
