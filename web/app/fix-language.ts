/**
 * On a system without a language of its own, such as a screen on a wall, Chromium says `en-US@posix`. That is no language
 * tag, and whoever hands it to `Intl` fails, as charts do when they are loaded.
 */
export function fixLanguage(): void {
  try {
    Intl.getCanonicalLocales(navigator.language);
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en-US', configurable: true });
  }
}
