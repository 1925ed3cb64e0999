import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';

/** A server on loopback until the calling test, or the file, ends. `url` is that of a server without TLS. */
export async function serve(
  handle: RequestListener,
  server: Server = createServer(),
): Promise<{ url: string; port: number }> {
  server.on('request', handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port };
}
