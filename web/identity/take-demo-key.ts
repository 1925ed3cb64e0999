import { demoKeyCookieName, demoKeyCookiePath } from '#contract/members/identity.ts';

/**
 * Moves the key of the demo sign-in from the printed address into a cookie that is sent only to the demo page. The
 * key leaves the address bar and the history, so that it is not shared with the address.
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
