import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import net from 'node:net';

/**
 * Holds a Unix socket as a lock that ends with its process, because Node has no file locks. Other containers that share the
 * directory see it, while they do not see the process. It locks nothing on file systems without sockets, on Windows, and when
 * the path has more than 107 bytes. Returns the function that releases it.
 */
export async function holdSocket(file: string): Promise<() => Promise<void>> {
  const server = net
    .createServer((socket) => socket.destroy())
    // A connection that cannot be accepted is no reason to end the service.
    .on('error', () => {})
    .unref();
  try {
    await rm(file, { force: true });
    await once(server.listen(file), 'listening');
  } catch {
    return async () => {};
  }
  return async () => {
    server.close();
    await once(server, 'close');
  };
}

/** Whether a process, also of another container on this machine, holds the socket. */
export async function isSocketHeld(file: string): Promise<boolean> {
  const socket = net.connect(file);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
