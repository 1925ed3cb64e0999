export interface AuthorizeUrlOptions {
  clientId: string;
  redirectUri: string;
  scopes: string;
  /** Parameters of OIDC_AUTHORIZE_PARAMS. They never replace the standard parameters. */
  extra: readonly (readonly [string, string])[];
}

/** The URL where a sign-in starts. The web app adds the one-time values of each sign-in. */
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
