import type { Octokit } from '@octokit/core';
import { fields, type Fields } from '#platform/runtime/json-fields.ts';
import { withForgeErrors } from '#server/forges/github/octokit-calls.ts';
import { listed } from '#server/forges/listed.ts';

/** Forges limit a page to 50 items unless their operator changed it. */
const pageSize = 50;

interface Page {
  items: Fields[];
  isLast: boolean;
}

/** One page of a list: an array, or an object with the array in `key`. Anything else in it is left out. */
export async function listPage(
  octokit: Octokit,
  route: string,
  { key, page, ...parameters }: { key?: string; page: number; [parameter: string]: unknown },
): Promise<Page> {
  const { data, headers } = await callForge(octokit, `GET ${route}`, {
    ...parameters,
    page,
    limit: pageSize,
  });
  const list: unknown = Array.isArray(data) || key === undefined ? data : fields(data)[key];
  const items = listed(list);
  const total = Number(headers['x-total-count'] ?? fields(data)['total_count'] ?? NaN);
  const isLast = Number.isFinite(total) ? page * items.length >= total : items.length < pageSize;
  return { items, isLast: items.length === 0 || isLast };
}

/** The types of the library describe GitHub. */
export async function callForge(
  octokit: Octokit,
  route: string,
  parameters: Record<string, unknown>,
): Promise<{ data: unknown; headers: Record<string, string | number | undefined> }> {
  const { data, headers } = await withForgeErrors(() => octokit.request(route, parameters));
  return { data: data as unknown, headers: headers as Record<string, string | number | undefined> };
}
