import type { IncomingMessage } from 'node:http';
import { isInNetworks } from '../outgoing/public-address.ts';

/** Whose request it is, as `makeHttpServer` counts it, for what goes past its routes: an upgrade. */
export function clientAddress(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const isTrusted = isInNetworks(trustedProxies);
  return ({ headers, socket }) => {
    const told = String(headers['x-forwarded-for'] ?? '')
      .split(',')
      .map((address) => address.trim());
    const nearestFirst = [socket.remoteAddress ?? '', ...told.filter((address) => address !== '').reverse()];
    const addresses = nearestFirst.map((address) => address.replace(/^::ffff:(?=\d+\.)/, ''));
    return addresses.find((address) => !isTrusted(address)) ?? addresses.at(-1) ?? '';
  };
}
