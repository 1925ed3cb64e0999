import { queryOptions } from '@tanstack/react-query';
import { getJson } from './client.ts';
import { readAll } from './read-all.ts';

/** Queries whose key is their path. */

export const jsonQuery = <T>(path: string) =>
  queryOptions({ queryKey: [path], queryFn: ({ signal }) => getJson<T>(path, signal) });

/** All items of a short list. */
export const listQuery = <Item>(path: string) =>
  queryOptions({ queryKey: [path], queryFn: ({ signal }) => readAll<Item>(path, signal) });
