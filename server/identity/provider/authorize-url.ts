export interface AuthorizeUrlOptions {
  clientId: string;
  redirectUri: string;
  scopes: string;
  /** The operator's own, such as which of its providers Cognito shows; they never replace the standard's. */
  extra: readonly (readonly [string, string])[];
}

/** Where sign-in begins. What changes with each sign-in is added by the web app, which also remembers it. */
export function authorizeUrl(
  endpoint: string,
  { clientId, redirectUri, scopes, extra }: AuthorizeUrlOptions,
): string {
  const url = new URL(endpoint);
  for (const [name, value] of extra) url.searchParams.set(name, value);
  url.searchParams.set('response_type', 'code');
  url.searchParams.set('client_id', clientId);
  url.searchParams.set('redirect_uri', redirectUri);
  url.searchParams.set('scope', scopes);
  return url.href;
}
