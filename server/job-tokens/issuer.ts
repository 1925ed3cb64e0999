/**
 * The host of the forge that an issuer of OpenID tokens for jobs belongs to. Undefined for an address that no forge uses.
 * GitHub: https://docs.github.com/actions/reference/security/oidc. GitHub Enterprise Server and Forgejo use a path of their own host.
 */
export function hostOfIssuer(issuer: string): string | undefined {
  const url = URL.parse(issuer);
  if (url === null || url.href.replace(/\/$/, '') !== issuer) return undefined;
  if (url.username !== '' || url.search !== '' || url.hash !== '') return undefined;
  if (url.hostname === 'token.actions.githubusercontent.com')
    // An enterprise can add its name.
    return url.protocol === 'https:' && /^\/[\w-]*$/.test(url.pathname) ? 'github.com' : undefined;
  const [, withResidency] = /^token\.actions\.([a-z0-9-]+\.ghe\.com)$/.exec(url.hostname) ?? [];
  if (withResidency !== undefined)
    return url.protocol === 'https:' && url.pathname === '/' ? withResidency : undefined;
  const isOwn = url.pathname === '/_services/token' || url.pathname === '/api/actions';
  return isOwn && ['http:', 'https:'].includes(url.protocol) ? url.host : undefined;
}
