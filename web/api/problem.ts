import type { Problem } from '#contract/base/errors.ts';

/** A longer time is left to the person. */
const longestRetryAfterSeconds = 300;

/** An error response, or no response: then the code is `unreachable`. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: Problem['code'] | 'unreachable' | 'unknown';
  readonly requestId: string | undefined;
  /** The error of each invalid field. */
  readonly fields: readonly { field: string; message: string }[];
  /** The server refuses the same request until then. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    facts: {
      status: number;
      code: ApiError['code'];
      requestId?: string | undefined;
      fields?: ApiError['fields'] | undefined;
      retryAfterMs?: number | undefined;
    },
  ) {
    super(message);
    this.name = 'ApiError';
    this.status = facts.status;
    this.code = facts.code;
    this.requestId = facts.requestId;
    this.fields = facts.fields ?? [];
    this.retryAfterMs = facts.retryAfterMs;
  }
}

/** @param status of the response, if a proxy sent one */
export function unreachable(status = 0): ApiError {
  const message = 'The server does not answer. Check your connection and try again.';
  return new ApiError(message, { status, code: 'unreachable' });
}

export async function problemOf(response: Response): Promise<ApiError> {
  const headerId = response.headers.get('x-request-id') ?? undefined;
  const problem = await readProblem(response);
  // A proxy in front of a stopped server responds with a page of its own.
  if (problem === undefined && response.status >= 500) return unreachable(response.status);
  return new ApiError(problem?.detail ?? `The server answered ${response.status}.`, {
    status: response.status,
    code: problem?.code ?? 'unknown',
    requestId: problem?.requestId ?? headerId,
    fields: problem?.errors,
    retryAfterMs: retryAfterOf(response),
  });
}

/** The server sends seconds; the date that a proxy may send is ignored. */
function retryAfterOf({ headers }: Response): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? NaN);
  return seconds >= 1 && seconds <= longestRetryAfterSeconds ? seconds * 1000 : undefined;
}

/** Undefined for a body that the server did not write: it may be JSON of a proxy. */
async function readProblem(response: Response): Promise<Problem | undefined> {
  try {
    const problem = (await response.json()) as Partial<Problem> | null;
    return typeof problem?.code === 'string' ? (problem as Problem) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether nothing has the requested id. */
export function isMissing(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

/** Whether the same request may succeed if it is repeated at once. */
export function isWorthRetrying(error: unknown): boolean {
  if (!(error instanceof ApiError)) return true;
  return error.retryAfterMs === undefined && (error.status === 0 || error.status >= 500);
}

/** The delay after which a refused request is worth repeating. */
export function retryAfter(error: unknown): number | undefined {
  return error instanceof ApiError ? error.retryAfterMs : undefined;
}
