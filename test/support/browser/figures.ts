import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { Team, TeamProduct } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

interface Figure {
  href: string;
  count: number;
}

/** The numbers of a page that are links to the rows that they count. */
export const figuresOf = (page: Page): Promise<Figure[]> =>
  page.evaluate(`[...document.querySelectorAll('[data-count]')].map((link) => (
    { href: link.getAttribute('href'), count: Number(link.dataset.count) }))`);

/** Waits for the parts of a page that arrive one after the other. */
export const figuresWhen = (
  page: Page,
  description: string,
  isComplete: (figures: Figure[]) => boolean,
): Promise<Figure[]> =>
  waitUntil(description, async () => {
    const figures = await figuresOf(page);
    return isComplete(figures) && figures;
  });

/** Counts the rows of the list that a link opens. The address of a list has the parameters of its request. */
export async function countRows(
  { publicUrl }: Pick<TeamProduct, 'publicUrl'>,
  team: Team,
  href: string,
): Promise<number> {
  const { pathname, searchParams } = new URL(href, publicUrl);
  const [, list = '', id] = /^\/integrations\/[^/]+\/(runs|jobs|failures)(?:\/(.+))?$/.exec(pathname) ?? [];
  if (list === 'failures') {
    const { body } = await team.viewer.call('GET', team.path(`/failure-groups/${id}`));
    return (body['occurrences'] as unknown[]).length;
  }
  let count = 0;
  searchParams.set('limit', '100');
  for (let cursor: string | null = ''; cursor !== null;) {
    if (cursor !== '') searchParams.set('cursor', cursor);
    const path = `/${list === 'runs' ? 'workflows' : 'jobs'}?${searchParams}`;
    const { status, body } = await team.viewer.call('GET', team.path(path));
    assert.equal(status, 200, path);
    count += body.items.length;
    cursor = body['nextCursor'] as string | null;
  }
  return count;
}
