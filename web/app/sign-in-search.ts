/** `error` is the code of a sign-in that failed, `to` the page to go on to. */
export interface SignInSearch {
  error?: string;
  to?: string;
}

export function readSignInSearch(search: Record<string, unknown>): SignInSearch {
  const { error, to } = search;
  return {
    ...(typeof error === 'string' && /^[a-z_]{1,60}$/.test(error) ? { error } : {}),
    ...(typeof to === 'string' && isOwnPage(to) ? { to } : {}),
  };
}

const longest = 2000;
const here = 'https://forgewatch.invalid';

/** Nothing but a page of this app: the server holds the same against whatever it is asked. */
function isOwnPage(address: string): boolean {
  if (address.length > longest || !/^\/(?![/\\])/.test(address)) return false;
  return URL.canParse(address, here) && new URL(address, here).origin === here;
}
