export const themeKey = 'forgewatch.theme';

/** Before the first paint, so that the page does not flash in the wrong theme. */
export function showStoredTheme(): void {
  try {
    const theme = localStorage.getItem(themeKey);
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme;
  } catch {
    // Storage may be disabled; the system theme applies.
  }
}
