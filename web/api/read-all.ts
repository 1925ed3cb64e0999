import { getJson } from './client.ts';
import { allPath } from './list-paths.ts';

/** Longer lists are read page by page. */
const mostPages = 20;

/** All pages of a short list. @throws ApiError */
export async function readAll<Item>(path: string, signal?: AbortSignal): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const answer = await getJson<{ items: Item[]; nextCursor: string | null }>(allPath(path, cursor), signal);
    items.push(...answer.items);
    if (answer.nextCursor === null) break;
    cursor = answer.nextCursor;
  }
  return items;
}
