import { useMedia } from './use-media.ts';
import { useTheme } from './theme.ts';

/** The current value of a colour token, for drawing on a canvas. */
export function themeColour(token: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${token})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Changes with the theme. Paper is white. */
export function useShownTheme(): 'light' | 'dark' | 'print' {
  const [theme] = useTheme();
  const isDark = useMedia('(prefers-color-scheme: dark)');
  const isPrinted = useMedia('print');
  if (isPrinted) return 'print';
  if (theme !== 'system') return theme;
  return isDark ? 'dark' : 'light';
}
