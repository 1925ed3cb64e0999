import type { FastifyInstance } from 'fastify';
import { AppError } from '../../runtime/app-error.ts';

/** Room for an empty object with some white space. */
const maxBytes = 64;

/** For routes that take no body: what comes is not parsed. Some clients send an empty object where they have nothing to say. */
export function acceptNoBody(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: maxBytes }, (_request, body, done) => {
    const text = (body as string).trim();
    if (text === '' || text === '{}') done(null);
    else done(new AppError('invalid_request', { detail: 'This route takes no body. Send none.' }));
  });
}
