import { isIP } from 'node:net';

/** Whether a host name or address can be reached from this machine only. */
export function isLoopbackName(name: string): boolean {
  const address = name.replace(/^\[|\]$/g, '');
  return name === 'localhost' || address === '::1' || (isIP(address) === 4 && address.startsWith('127.'));
}
