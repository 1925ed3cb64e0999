import { errorCodes, type ErrorCode, type Problem } from '#contract/base/errors.ts';
import type { AccessRules, Route } from '../route.ts';

/** Codes of the server and the chain, which read the request line, the headers and the connection. */
const ofEachRequest: readonly ErrorCode[] = [
  'invalid_request',
  'invalid_path',
  'request_timeout',
  'unsupported_media_type',
  'headers_too_large',
  'internal',
  'try_again',
];

/** All codes that a route answers: those of the chain, which follow from the columns of its row, and its own. */
export function errorsOf<Access>(row: Route<Access>, rules: AccessRules<Access>): ErrorCode[] {
  const credentials = rules.credentials(row.access);
  const needsCaller = credentials.length > 0;
  const takesToken = credentials.includes('token');
  const changes = row.method !== 'GET';
  const isLimited =
    row.rateLimits !== undefined || row.refusalLimit !== undefined || (needsCaller && rules.callerLimit);
  // Callers without a session or token get 401 for an unknown integration.
  const findsObject =
    /:(?!integrationId)/.test(row.path) || (needsCaller && row.path.endsWith(':integrationId'));
  const codes = new Set<ErrorCode>([
    ...ofEachRequest,
    ...(needsCaller ? (['ambiguous_credentials', 'unauthenticated', 'invalid_token'] as const) : []),
    ...(needsCaller && !takesToken ? (['token_not_allowed'] as const) : []),
    ...(takesToken ? (['insufficient_scope'] as const) : []),
    ...(credentials.includes('session') ? (['identity_provider_unavailable'] as const) : []),
    ...(needsCaller && changes ? (['origin_not_allowed'] as const) : []),
    ...(isLimited ? (['too_many_requests'] as const) : []),
    ...(findsObject ? (['not_found'] as const) : []),
    ...(row.body === undefined ? [] : (['invalid_json'] as const)),
    ...(changes ? (['payload_too_large'] as const) : []),
    ...(rules.errors?.(row.access) ?? []),
    ...(row.errors ?? []),
  ]);
  return [...codes];
}

/** Refusals that do not depend on what a route does. */
const ofAnyRoute: ReadonlySet<ErrorCode> = new Set([
  'request_timeout',
  'unsupported_media_type',
  'headers_too_large',
  'payload_too_large',
  'too_many_requests',
]);

/**
 * OpenAPI calls statuses that most routes share by their range, so that the document stays small. Each code names its status. A range
 * excludes statuses that the operation has by number.
 */
function byStatus(codes: readonly ErrorCode[]): Map<string, ErrorCode[]> {
  const own = new Set(codes.filter((code) => !ofAnyRoute.has(code)).map((code) => errorCodes[code].status));
  return Map.groupBy(codes, (code) => {
    const { status } = errorCodes[code];
    if (status >= 500) return '5XX';
    return own.has(status) ? String(status) : '4XX';
  });
}

/** Responses that operations share, by their content. */
export type SharedResponses = Map<string, { name: string; response: object; shown: ErrorCode | undefined }>;

/**
 * One response of OpenAPI for each status of the codes, as a reference to `responses`. Operations that refuse with the same codes
 * share a response. `oauth` are the statuses of errors in the format of OAuth.
 */
export function errorResponses(
  codes: readonly ErrorCode[],
  responses: SharedResponses,
  oauth: readonly number[],
): Record<string, object> {
  const groups = byStatus(codes);
  const ofOAuth = new Set(oauth.map((status) => (status >= 500 ? '5XX' : String(status))));
  return Object.fromEntries(
    [...new Set([...groups.keys(), ...ofOAuth])].map((status) => {
      const own = groups.get(status)?.toSorted() ?? [];
      const response = errorResponse(own, ofOAuth.has(status));
      const key = JSON.stringify(response);
      const shared = responses.get(key) ?? {
        name: `E${responses.size + 1}`,
        response,
        shown: own[0],
      };
      responses.set(key, shared);
      return [status, { $ref: `#/components/responses/${shared.name}` }];
    }),
  );
}

function errorResponse(codes: readonly ErrorCode[], isOAuth: boolean): object {
  const statuses = [...new Set(codes.map((code) => errorCodes[code].status))];
  const problem = {
    schema: {
      allOf: [{ $ref: '#/components/schemas/Problem' }],
      properties: { status: { enum: statuses }, code: { enum: codes } },
    },
    // One for each response: the codes are in its schema, and their titles at the top of the document.
    examples: Object.fromEntries(
      codes.slice(0, 1).map((code) => [code, { $ref: `#/components/examples/${code}` }]),
    ),
  };
  return {
    description: [...codes.map((code) => `\`${code}\``), ...(isOAuth ? ['an error of OAuth'] : [])].join(
      ', ',
    ),
    content: {
      ...(codes.length > 0 && { 'application/problem+json': problem }),
      ...(isOAuth && { 'application/json': { schema: { $ref: '#/components/schemas/OAuthError' } } }),
    },
  };
}

/** Schema of an error in the format of OAuth (RFC 6749, section 5.2). */
export const oauthErrorSchema = {
  type: 'object',
  required: ['error', 'error_description'],
  properties: { error: { type: 'string' }, error_description: { type: 'string' } },
} as const;

/** Schema of an error answer. */
export const problemSchema = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string', enum: Object.keys(errorCodes) },
    requestId: { type: 'string', format: 'uuid' },
    errors: {
      type: 'array',
      items: { type: 'object', properties: { field: { type: 'string' }, message: { type: 'string' } } },
    },
  },
} as const;

/** Examples of error answers, by their code. */
export function problemExamples(
  codes: readonly (ErrorCode | undefined)[],
): Record<string, { value: Problem }> {
  const requestId = '5c1e3f6a-9d0b-4a44-9b0e-0d6c4a1b7e21';
  return Object.fromEntries(
    [...new Set(codes)].toSorted().flatMap((code) => {
      if (code === undefined) return [];
      const { status, title } = errorCodes[code];
      const detail = `${title}.`;
      return [
        [code, { value: { type: `urn:forgewatch:error:${code}`, title, status, detail, code, requestId } }],
      ];
    }),
  );
}
