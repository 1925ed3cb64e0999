import { visibleText } from '#contract/base/plain-text.ts';

/**
 * Shortens a text to `length` characters on one line, without characters that change the text direction. Texts from the forge
 * must not break a title or fill a whole notification.
 */
export function capped(text: string, length: number): string {
  // Bounds the work: a text beyond this cannot reach the result.
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

/** The URL if it may be shown as a link. */
export function linkOf(url: string | null): string | null {
  if (url === null || url.length > 1000 || !URL.canParse(url)) return null;
  const { protocol, href, username, password } = new URL(url);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  // A user name in a URL looks like a host.
  return isWeb && username === '' && password === '' ? href : null;
}
