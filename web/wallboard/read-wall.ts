import type { Wall } from '#contract/integrations/wallboard.ts';
import { getJson } from '../api/client.ts';
import { queryString } from '../api/query-string.ts';
import { problemOf } from '../api/problem.ts';
import type { WallSearch } from './wall-search.ts';

const answerWithinMs = 20_000;

/** @throws ApiError */
export async function readWall(
  integrationId: string,
  search: WallSearch,
  secret: string | undefined,
  signal: AbortSignal,
): Promise<Wall> {
  if (secret !== undefined) return readSharedWall(secret, signal);
  return getJson<Wall>(`/api/integrations/${integrationId}/wallboard${queryString({ ...search })}`, signal);
}

/** Without the session of a person who may be signed in. */
async function readSharedWall(secret: string, signal: AbortSignal): Promise<Wall> {
  const answer = await fetch('/api/shared-wallboard', {
    credentials: 'omit',
    headers: { authorization: `Bearer ${secret}` },
    signal: AbortSignal.any([signal, AbortSignal.timeout(answerWithinMs)]),
  });
  if (!answer.ok) throw await problemOf(answer);
  return (await answer.json()) as Wall;
}
