import { boundedFetch } from '#platform/http/outgoing/bounded-fetch.ts';

const read = boundedFetch(64 * 1024);

/**
 * Reaches this service's own public addresses at the address it listens on: from inside, the public name may lead
 * nowhere, or through a proxy that is not up yet.
 */
export function makeLocalFetch(
  publicUrl: string,
  localUrl: () => string | undefined,
): typeof globalThis.fetch {
  return async (input, init) => {
    const wanted = input instanceof Request ? input.url : String(input);
    const base = localUrl();
    if (base === undefined) throw new Error('this process does not listen yet');
    if (!wanted.startsWith(`${publicUrl}/`)) throw new Error('not an address of this service');
    return read(base + wanted.slice(publicUrl.length), init);
  };
}
