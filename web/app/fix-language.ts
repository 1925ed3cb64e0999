/**
 * On a system without a locale, Chromium reports `en-US@posix`. That is no valid language tag, so `Intl` throws, for
 * example when charts are loaded.
 */
export function fixLanguage(): void {
  try {
    Intl.getCanonicalLocales(navigator.language);
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en-US', configurable: true });
  }
}
