import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ephemeral ports, which an outgoing connection could take before the program listens. */
const [lowest, highest] = [15_000, 32_000];

/** For programs whose port must be known before they listen, because it is part of their arguments or public URL. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, highest);
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
