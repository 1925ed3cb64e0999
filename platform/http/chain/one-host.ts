import type { IncomingMessage } from 'node:http';

/** False for a request with several Host headers: a proxy may use the first one and Node the last one. */
export function hasOneHost({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts <= 1;
}
