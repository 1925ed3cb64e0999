import { useMemo } from 'react';
import { useInfiniteQuery, type InfiniteData, type QueryClient } from '@tanstack/react-query';
import { getJson } from './client.ts';
import { readEvery } from './read-every.ts';
import { pagePath, type ListParameters } from './list-paths.ts';

interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
}

/**
 * A paginated list and the extra fields of its newest page. Each set of `parameters` is a list of its own. Loaded
 * pages are read again every `everyMs`.
 */
export function usePages<Item, Answer extends Page<Item> = Page<Item>>(
  path: string,
  parameters: ListParameters,
  everyMs: number,
) {
  const query = useInfiniteQuery({
    queryKey: [path, parameters],
    queryFn: ({ pageParam, signal }) => getJson<Answer>(pagePath(path, parameters, pageParam), signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    refetchInterval: readEvery(everyMs),
    placeholderData: (previous) => previous,
  });
  const pages = query.data?.pages;
  const items = useMemo(() => pages?.flatMap((page) => page.items), [pages]);
  return {
    /** For `Loaded`. */
    reading: {
      data: items,
      error: query.error,
      isFetching: query.isFetching,
      refetch: query.refetch,
    },
    newest: pages?.[0],
    /** Reads the next page; undefined at the end. */
    more: query.hasNextPage ? () => void query.fetchNextPage() : undefined,
    isReadingMore: query.isFetchingNextPage,
  };
}

/** Shows the answer to a change at once, in each loaded list of `path`. Reading the lists again takes a while. */
export function replaceInPages<Item>(
  client: QueryClient,
  path: string,
  item: Item,
  isSame: (other: Item) => boolean,
): void {
  client.setQueriesData<InfiniteData<Page<Item>>>(
    { queryKey: [path] },
    (list) =>
      list && {
        ...list,
        pages: list.pages.map((page) => ({
          ...page,
          items: page.items.map((other) => (isSame(other) ? item : other)),
        })),
      },
  );
}
