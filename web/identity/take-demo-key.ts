import { demoKeyCookieName, demoKeyCookiePath } from '#contract/identity.ts';

/**
 * Moves the key of the demo sign-in from the address that was printed at start into a cookie that only the demo page is
 * sent. It leaves the address bar and this tab's history, so that it is not copied or shown with the address.
 */
export function takeDemoKey(): void {
  const url = new URL(location.href);
  const key = url.searchParams.get('key');
  if (url.pathname !== '/' || key === null) return;
  url.searchParams.delete('key');
  history.replaceState(history.state, '', url);
  if (/^\w{1,200}$/.test(key))
    document.cookie = `${demoKeyCookieName}=${key}; Path=${demoKeyCookiePath}; Secure; SameSite=Strict`;
}
