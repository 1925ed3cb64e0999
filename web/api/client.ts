import type { Problem } from '#contract/errors.ts';

/** An answer that is no success, or none at all: `status` 0 and the code `unreachable`. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: Problem['code'] | 'unreachable' | 'unknown';
  readonly requestId: string | undefined;

  constructor(
    message: string,
    facts: { status: number; code: ApiError['code']; requestId?: string | undefined },
  ) {
    super(message);
    this.name = 'ApiError';
    this.status = facts.status;
    this.code = facts.code;
    this.requestId = facts.requestId;
  }
}

/** @throws ApiError; an `AbortError` when `signal` ends it. */
export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  const response = await send(path, signal);
  if (response.ok) return (await response.json()) as T;
  // Sign-in puts its one refresh for all tabs, and the repetition of the request, here: on 401.
  throw await problemOf(response);
}

async function send(path: string, signal: AbortSignal | undefined): Promise<Response> {
  try {
    return await fetch(path, { headers: { accept: 'application/json' }, signal: signal ?? null });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError('The server does not answer. Is it running, and are you online?', {
      status: 0,
      code: 'unreachable',
    });
  }
}

async function problemOf(response: Response): Promise<ApiError> {
  const headerId = response.headers.get('x-request-id') ?? undefined;
  const problem = await readProblem(response);
  return new ApiError(problem?.detail ?? problem?.title ?? `The server answered ${response.status}.`, {
    status: response.status,
    code: problem?.code ?? 'unknown',
    requestId: problem?.requestId ?? headerId,
  });
}

async function readProblem(response: Response): Promise<Problem | undefined> {
  try {
    return (await response.json()) as Problem;
  } catch {
    return undefined;
  }
}

/** Whether the same request may succeed a moment later. */
export function isWorthRetrying(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status === 429 || error.status >= 500;
}

/** `?a=1&b=2` of what is set; empty when nothing is. */
export function queryString(values: Record<string, string | number | undefined>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}
