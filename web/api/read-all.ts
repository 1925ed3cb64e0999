import { getJson, queryString } from './client.ts';

const pageSize = 100;
/** More rows than that are no list that one reads in one piece. */
const mostPages = 20;

/** All pages of a short list. @throws ApiError */
export async function readAll<Item>(path: string, signal?: AbortSignal): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const answer = await getJson<{ items: Item[]; nextCursor: string | null }>(
      path + queryString({ limit: pageSize, cursor }),
      signal,
    );
    items.push(...answer.items);
    if (answer.nextCursor === null) break;
    cursor = answer.nextCursor;
  }
  return items;
}
