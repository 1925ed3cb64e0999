import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ephemeral ports, which an outgoing connection could take before the program listens, and above those of the forge of the
 * sample traffic.
 */
const lowest = 18_000;
const slices = 140;
const portsOfSlice = 100;

/** Processes that start side by side choose from different ports, and each of them takes its ports in turn. */
const slice = lowest + (process.pid % slices) * portsOfSlice;
let next = randomInt(portsOfSlice);

/** For programs whose port must be known before they listen, because it is part of their arguments or public URL. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < portsOfSlice; tries += 1) {
    const port = slice + next;
    next = (next + 1) % portsOfSlice;
    if (await isFree(port)) return port;
  }
  throw new Error(`The ports ${slice} to ${slice + portsOfSlice - 1} are all in use.`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
