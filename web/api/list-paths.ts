import { queryString } from './query-string.ts';

export type ListParameters = Record<string, string | boolean | undefined>;

/** Of a list that is shown page by page. */
const pageSize = 50;
/** Of a list that is read to its end. */
const largestPage = 100;

export const pagePath = (path: string, parameters: ListParameters, cursor?: string): string =>
  path + queryString({ ...parameters, limit: pageSize, cursor });

export const allPath = (path: string, cursor?: string): string =>
  path + queryString({ limit: largestPage, cursor });
