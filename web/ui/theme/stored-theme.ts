import { readStored } from '../../api/stored.ts';

export const themeKey = 'forgewatch.theme';

/** Before the first paint, so that the page does not flash in the wrong theme. */
export function showStoredTheme(): void {
  const theme = readStored('localStorage', themeKey);
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme;
}
