import type { NotificationContent } from './notification-content.ts';
import { capped, linkOf } from './texts.ts';

const longestText = 1000;
const mostEntries = 100;
const deepest = 6;

const urlNames = new Set(['url', 'link']);

/**
 * The message with every text on one line, without characters that hide or turn text, and with addresses of the web as its only
 * URLs: most of it is what people wrote at the forge. The one place where this is done, for all channels.
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
