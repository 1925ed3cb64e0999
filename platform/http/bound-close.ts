import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Lets a server close in bounded time: Node waits for every connection that has begun a request or become a socket, and once
 * it closes no longer times out those that send nothing more. What is left after `withinMs` is cut off.
 */
export function boundClose(app: FastifyInstance, withinMs: number): void {
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  app.addHook('preClose', (done) => {
    setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, withinMs).unref();
    done();
  });
}
