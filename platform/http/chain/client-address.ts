import type { IncomingMessage } from 'node:http';
import { isInNetworks } from '../outgoing/public-address.ts';

/** Client address of an upgrade request, which bypasses Fastify. Same result as `request.ip` of `makeHttpServer`. */
export function clientAddress(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const isTrusted = isInNetworks(trustedProxies);
  return ({ headers, socket }) => {
    const forwarded = String(headers['x-forwarded-for'] ?? '')
      .split(',')
      .map((address) => address.trim());
    const nearestFirst = [
      socket.remoteAddress ?? '',
      ...forwarded.filter((address) => address !== '').reverse(),
    ];
    const addresses = nearestFirst.map((address) => address.replace(/^::ffff:(?=\d+\.)/, ''));
    return addresses.find((address) => !isTrusted(address)) ?? addresses.at(-1) ?? '';
  };
}
