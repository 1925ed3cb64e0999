import type { FastifyInstance } from 'fastify';
import { AppError } from '../../runtime/app-error.ts';

/** Enough for an empty object with white space. */
const maxBytes = 64;

/** For routes without a body. Also accepts an empty JSON object, which some clients always send. */
export function acceptNoBody(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: maxBytes }, (_request, body, done) => {
    const text = (body as string).trim();
    if (text === '' || text === '{}') done(null);
    else done(new AppError('invalid_request', { detail: 'This route accepts no body. Send none.' }));
  });
}
