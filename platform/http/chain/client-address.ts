import type { IncomingMessage } from 'node:http';
import { isInNetworks } from '../outgoing/public-address.ts';

/** Client address of a request before Fastify has it. Same result as `request.ip` of `makeHttpServer`. */
export function clientAddress(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const isTrusted = isInNetworks(trustedProxies);
  return ({ headers, socket }) => {
    let nearest = plain(socket.remoteAddress ?? '');
    if (!isTrusted(nearest)) return nearest;
    for (const forwarded of String(headers['x-forwarded-for'] ?? '')
      .split(',')
      .reverse()) {
      const address = plain(forwarded.trim());
      if (address === '') continue;
      nearest = address;
      if (!isTrusted(address)) break;
    }
    return nearest;
  };
}

/** An IPv4 address in the notation of IPv6 is itself. */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/, '');
