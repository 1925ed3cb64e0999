import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { after } from 'node:test';

export interface InterruptibleProxy {
  /** Ends all connections and refuses new ones, as a server that was stopped does. */
  interrupt(): Promise<void>;
  /** Accepts connections again. Does nothing when the proxy was not interrupted. */
  restore(): Promise<void>;
}

/** Listens on one port of this machine for a server on another one. Closed when the file ends. */
export async function startInterruptibleProxy(port: number, serverPort: number): Promise<InterruptibleProxy> {
  const ends = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(serverPort, '127.0.0.1');
    for (const socket of [near, far]) {
      ends.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        ends.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far).pipe(near);
  });
  const proxy: InterruptibleProxy = {
    interrupt: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of ends) socket.destroy();
      await closed;
    },
    restore: async () => {
      if (server.listening) return;
      server.listen(port, 'localhost');
      await once(server, 'listening');
    },
  };
  await proxy.restore();
  after(async () => {
    if (server.listening) await proxy.interrupt();
  });
  return proxy;
}
