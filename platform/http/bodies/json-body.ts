import type { FastifyInstance } from 'fastify';
import { scanJson, type JsonVerdict } from '../../json/scan-json.ts';
import { AppError } from '../../runtime/app-error.ts';

/** Twice the largest valid body. TypeBox lists the duplicates of a list in quadratic time: 10,000 of them take 300 ms. */
const limits = { depth: 64, values: 2_000 };

/** Parses JSON bodies of the API. Refuses keys that change prototypes, deep nesting and too many values. */
export function installJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = body as Buffer;
    const refusal = refusals[scanJson(bytes, limits)];
    // The parser reports invalid JSON with its own code.
    if (refusal === undefined) parse(request, bytes.toString('utf8'), done);
    else done(new AppError('invalid_request', { detail: refusal }));
  });
  // A compressed body could be a thousand times its Content-Length.
  app.addHook('onRequest', (request, _reply, done) => {
    const encoding = request.headers['content-encoding'];
    done(
      encoding === undefined || encoding === 'identity'
        ? undefined
        : new AppError('unsupported_media_type', { detail: 'Send the body without Content-Encoding.' }),
    );
  });
}

const refusals: Partial<Record<JsonVerdict, string>> = {
  too_deep: `The body is nested more than ${limits.depth} levels deep.`,
  too_many_values: `The body holds more than ${limits.values} values.`,
};
