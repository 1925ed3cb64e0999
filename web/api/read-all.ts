import { getJson, queryString } from './client.ts';

const pageSize = 100;
/** Longer lists are read page by page. */
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
