import {
  ForgeError,
  RateLimited,
  errorOfAnswer,
  statusOf,
  type ForgeHeaders,
} from '#server/forges/errors.ts';

/** Makes a call of the library reject with `RateLimited` or `ForgeError`. */
export async function withForgeErrors<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw isRequestError(error) ? forgeErrorOf(error) : error;
  }
}

/** The part of the library's error that is used. */
interface RequestError extends Error {
  status: number;
  response?: { headers: ForgeHeaders; data?: unknown };
}

/** Compares the name, because the class may not be loaded. */
function isRequestError(error: unknown): error is RequestError {
  return error instanceof Error && error.name === 'HttpError';
}

function forgeErrorOf(error: RequestError): Error {
  const { status, response, message } = error;
  if (response === undefined)
    return error.cause instanceof RateLimited ? error.cause : new ForgeError(status, message, error);
  const { message: words } = Object(response.data) as { message?: unknown };
  return errorOfAnswer(status, response.headers, typeof words === 'string' ? words : message, error);
}

/** Resolves to undefined on a 404. */
export async function unlessMissing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await withForgeErrors(() => asked);
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}

/** Reads the `Link` header of a list. */
export function isLastPage({ link = '' }: { link?: string | undefined }): boolean {
  return !link.includes('rel="next"');
}

/** Bounds the calls that a server without an end causes. */
const maxPages = 200;

export async function readAllPages<Item>(
  readPage: (page: number) => Promise<{ items: Item[]; isLast: boolean }>,
  most = maxPages,
): Promise<Item[]> {
  const all: Item[] = [];
  for (let page = 1; page <= most; page += 1) {
    const { items, isLast } = await readPage(page);
    all.push(...items);
    if (isLast) break;
  }
  return all;
}

export function partsOf(repository: string): { owner: string; repo: string } {
  const [owner = '', repo = ''] = repository.split('/');
  return { owner, repo };
}

/** Of a run. GitHub accepts 500 artifacts of a job. */
export const mostArtifactPages = 10;

/** The path in the API at which the bytes of an artifact are, or a redirect to them. The address that the list names is not used. */
export function artifactPath(repository: string, artifactId: number): string {
  const { owner, repo } = partsOf(repository);
  return `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(repo)}/actions/artifacts/${artifactId}/zip`;
}
