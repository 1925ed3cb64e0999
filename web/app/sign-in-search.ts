/** `error` is the code of a failed sign-in, `to` the page to open afterwards. */
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

/** Accepts only pages of this app. The server checks the same rule. */
function isOwnPage(address: string): boolean {
  if (address.length > longest || !/^\/(?![/\\])/.test(address)) return false;
  return URL.canParse(address, here) && new URL(address, here).origin === here;
}
