import { isIP } from 'node:net';
import type { IncomingMessage } from 'node:http';
import type { Config } from '#platform/runtime/config.ts';

/**
 * Whether this deployment is somebody trying the product on their own machine: it listens on loopback alone and calls
 * itself localhost, and nothing is set that people could sign in with.
 */
export function isDemoDeployment({
  host,
  publicUrl,
  oidcIssuer,
  forgeClientId,
}: Pick<Config, 'host' | 'publicUrl' | 'oidcIssuer' | 'forgeClientId'>): boolean {
  return (
    oidcIssuer === undefined &&
    forgeClientId === undefined &&
    isLoopbackName(host) &&
    isLoopbackName(new URL(publicUrl).hostname)
  );
}

/**
 * The peer is loopback, no proxy passed it on, and the name asked for is this machine's: a page of another site that
 * rebinds its own name to 127.0.0.1 still sends its own name.
 */
export function isFromThisMachine({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): boolean {
  if (headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined) return false;
  const host = `http://${headers.host ?? ''}`;
  return (
    isLoopbackAddress(socket.remoteAddress ?? '') &&
    URL.canParse(host) &&
    isLoopbackName(new URL(host).hostname)
  );
}

export function isLoopbackName(name: string): boolean {
  return name === 'localhost' || isLoopbackAddress(name.replace(/^\[|\]$/g, ''));
}

function isLoopbackAddress(address: string): boolean {
  const plain = address.replace(/^::ffff:/, '');
  return plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'));
}
