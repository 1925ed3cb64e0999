import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Limits the time a server takes to close. Node waits for each connection with a request or WebSocket, and a closing
 * server does not apply its request time-outs. Connections left after `withinMs` are terminated.
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
