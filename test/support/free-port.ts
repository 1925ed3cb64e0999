import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** For programs that must know their port before they listen, because their public address names it. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
