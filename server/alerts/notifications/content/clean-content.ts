import type { NotificationContent } from './notification-content.ts';
import { capped, linkOf } from './texts.ts';

const longestText = 1000;
const mostEntries = 100;
const deepest = 6;

const urlNames = new Set(['url', 'link']);

/**
 * Removes line breaks and characters that hide or reverse text, and keeps only web URLs: most of the content was written by
 * people at the forge. All channels use this function.
 */
export function cleanContent(content: NotificationContent): NotificationContent {
  return clean(content, '', 0) as NotificationContent;
}

function clean(value: unknown, name: string, depth: number): unknown {
  if (typeof value === 'string') return urlNames.has(name) ? linkOf(value) : capped(value, longestText);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === deepest) return null;
  if (Array.isArray(value)) return value.slice(0, mostEntries).map((each) => clean(each, name, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, mostEntries)
      .map(([key, each]) => [key, clean(each, key, depth + 1)]),
  );
}
