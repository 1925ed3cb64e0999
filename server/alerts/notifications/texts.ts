import { visibleText } from '#contract/plain-text.ts';

/**
 * At most `length` characters, on one line and in the direction of what stands around them: what comes from outside must not
 * break a title or flood a message.
 */
export function capped(text: string, length: number): string {
  // Looked at no further than a character can be in the result.
  const line = visibleText(text.slice(0, length * 8));
  const characters = [...line];
  return characters.length <= length ? line : `${characters.slice(0, length - 1).join('')}…`;
}

/** `3 h 5 min`: the two largest units. */
export function durationText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const units: [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ];
  const first = units.findIndex(([count]) => count > 0);
  if (first === -1) return '0 s';
  return units
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}

export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The URL, when it is one that may be shown as a link. */
export function linkOf(url: string | null): string | null {
  if (url === null || url.length > 1000 || !URL.canParse(url)) return null;
  const { protocol, href, username, password } = new URL(url);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  // What stands before an at sign reads like a host.
  return isWeb && username === '' && password === '' ? href : null;
}
