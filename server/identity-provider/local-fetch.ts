import { boundedFetch } from '#platform/http/outgoing/bounded-fetch.ts';

const read = boundedFetch(64 * 1024);

/**
 * Sends requests for this service's public URL to the address it listens on, because the public name may not resolve on this machine
 * or may lead through a proxy that has not started.
 */
export function makeLocalFetch(
  publicUrl: string,
  localUrl: () => string | undefined,
): typeof globalThis.fetch {
  return async (input, init) => {
    const wanted = input instanceof Request ? input.url : String(input);
    const base = localUrl();
    if (base === undefined) throw new Error('this process does not listen yet');
    if (!wanted.startsWith(`${publicUrl}/`)) throw new Error('not a URL of this service');
    return read(base + wanted.slice(publicUrl.length), init);
  };
}
