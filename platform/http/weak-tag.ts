import { hash } from 'node:crypto';
import type { FastifyReply } from 'fastify';

/** Sets the `ETag` of an answer of which only this part matters. By default the whole body does. */
export function tagBy(reply: FastifyReply, part: unknown): void {
  void reply.header('etag', `W/"${hash('sha256', JSON.stringify(part), 'base64url').slice(0, 27)}"`);
}
