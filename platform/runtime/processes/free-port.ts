import { createHash, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ephemeral ports, which an outgoing connection could take before the program listens. */
const [lowest, highest] = [15_000, 32_000];

/**
 * For programs whose port must be known before they listen, because it is part of their arguments or public URL. With a name it is the
 * same each time, unless that port is in use.
 */
export async function freePort(name?: string): Promise<number> {
  let wanted = name === undefined ? undefined : portOf(name);
  for (;;) {
    const port = wanted ?? randomInt(lowest, highest);
    wanted = undefined;
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch {
      continue;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}

function portOf(name: string): number {
  return lowest + (createHash('sha256').update(name).digest().readUInt32BE() % (highest - lowest));
}
