import { useMedia } from './use-media.ts';
import { useTheme } from './theme.ts';

/** The colour that a token has in the theme of now, for what is not drawn by the browser's styles. */
export function themeColour(token: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${token})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Changes whenever colours do. */
export function useShownTheme(): 'light' | 'dark' {
  const [theme] = useTheme();
  const isDark = useMedia('(prefers-color-scheme: dark)');
  if (theme !== 'system') return theme;
  return isDark ? 'dark' : 'light';
}
