import type { FastifyInstance } from 'fastify';
import { AppError } from '../runtime/app-error.ts';

/** Deeper than any body of ours; what is nested for its own sake costs more than it says. */
const maxDepth = 64;

/** JSON bodies of the API: names that reach into prototypes and nesting beyond reason are refused. */
export function installJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (depthOf(body as string) > maxDepth)
      done(
        new AppError('invalid_request', { detail: `The body is nested more than ${maxDepth} levels deep.` }),
      );
    else parse(request, body as string, done);
  });
  // A compressed body could be a thousand times what its length says.
  app.addHook('onRequest', (request, _reply, done) => {
    const encoding = request.headers['content-encoding'];
    done(
      encoding === undefined || encoding === 'identity'
        ? undefined
        : new AppError('unsupported_media_type', { detail: 'Send the body without Content-Encoding.' }),
    );
  });
}

/** The deepest nesting of brackets outside strings. */
function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (token === '[' || token === '{') deepest = Math.max(deepest, ++depth);
    else if (token === ']' || token === '}') depth -= 1;
  }
  return deepest;
}
