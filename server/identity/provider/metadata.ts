import * as openid from 'openid-client';

export interface ProviderOptions {
  issuer: string;
  clientId: string;
  clientSecret: string | undefined;
  /** Sends requests to the provider. Requests to the built-in one stay on this machine, whatever its public URL is. */
  fetch: typeof globalThis.fetch;
  /** Of the built-in provider, which is not asked. */
  known?: KnownDocuments;
}

/** What a provider publishes. */
export interface KnownDocuments {
  metadata: openid.ServerMetadata;
  /** A JWK set. */
  keys(): unknown;
}

/** The provider answers, but this service cannot use it. A retry does not help. */
export class UnusableProvider extends Error {}

const discoveryTimeoutSeconds = 3;

/** Long enough for a provider that calls others; shorter than the lease of a refresh. */
const requestTimeoutSeconds = 10;

/**
 * Reads the provider's discovery document.
 * @throws UnusableProvider when a retry cannot help; another error when the provider does not answer.
 */
export async function discoverProvider(options: ProviderOptions): Promise<openid.Configuration> {
  const metadata = options.known?.metadata ?? (await readMetadata(options));
  return configurationOf(metadata, options, firstAuthentication(metadata, options));
}

async function readMetadata(options: ProviderOptions): Promise<openid.ServerMetadata> {
  const found = await discover(options, options.issuer).catch((error: unknown) => {
    // Settings are stored without a trailing slash; some issuers have one.
    if (claimedIssuer(error) === `${options.issuer}/`) return discover(options, `${options.issuer}/`);
    throw error;
  });
  const metadata = withCognitoEndpoints(found.serverMetadata());
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const) {
    if (metadata[name] === undefined || !URL.canParse(metadata[name]))
      throw new UnusableProvider(`${options.issuer}: its discovery document contains no ${name}.`);
    if (options.issuer.startsWith('https:') && !metadata[name].startsWith('https:'))
      throw new UnusableProvider(`${options.issuer}: its ${name} does not use https.`);
  }
  return metadata;
}

/** The library's configuration for this provider and client. */
export function configurationOf(
  metadata: openid.ServerMetadata,
  { clientId, issuer, fetch }: ProviderOptions,
  authentication: openid.ClientAuth,
): openid.Configuration {
  const config = new openid.Configuration(metadata, clientId, undefined, authentication);
  config.timeout = requestTimeoutSeconds;
  config[openid.customFetch] = fetch as openid.CustomFetch;
  if (issuer.startsWith('http:')) openid.allowInsecureRequests(config);
  return config;
}

function firstAuthentication(
  metadata: openid.ServerMetadata,
  { clientSecret }: ProviderOptions,
): openid.ClientAuth {
  if (clientSecret === undefined) return openid.None();
  // The default of RFC 8414.
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  if (methods.includes('client_secret_basic')) return openid.ClientSecretBasic(clientSecret);
  if (methods.includes('client_secret_post')) return openid.ClientSecretPost(clientSecret);
  throw new UnusableProvider(
    `${metadata.issuer}: does not accept a client secret (${methods.join(', ')}). Unset OIDC_CLIENT_SECRET for a public client.`,
  );
}

async function discover({ clientId, fetch }: ProviderOptions, issuer: string): Promise<openid.Configuration> {
  try {
    return await openid.discovery(new URL(issuer), clientId, undefined, openid.None(), {
      timeout: discoveryTimeoutSeconds,
      [openid.customFetch]: fetch as openid.CustomFetch,
      ...(issuer.startsWith('http:') ? { execute: [openid.allowInsecureRequests] } : {}),
    });
  } catch (error) {
    const problem = reasonOf(error);
    if (problem === undefined) throw error;
    throw new UnusableProvider(`${issuer}: ${problem}`, { cause: error });
  }
}

/** Undefined when a retry may help. */
function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof openid.ClientError)) return undefined;
  switch (error.code) {
    case 'OAUTH_RESPONSE_IS_NOT_CONFORM': {
      const status = error.cause instanceof Response ? error.cause.status : 0;
      if (status >= 500 || status === 429) return undefined;
      return `/.well-known/openid-configuration answers ${status}. Check OIDC_ISSUER.`;
    }
    case 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED':
      return `its discovery document has the issuer ${claimedIssuer(error) ?? '(none)'}. Set OIDC_ISSUER to that value.`;
    case 'OAUTH_RESPONSE_IS_NOT_JSON':
    case 'OAUTH_PARSE_ERROR':
    case 'OAUTH_INVALID_RESPONSE':
      return '/.well-known/openid-configuration is not a discovery document. Check OIDC_ISSUER.';
    default:
      return undefined;
  }
}

function claimedIssuer(error: unknown): string | undefined {
  const cause = (error as { cause?: unknown }).cause;
  const details = (error instanceof UnusableProvider ? (cause as { cause?: unknown }).cause : cause) as
    | { body?: { issuer?: unknown } }
    | undefined;
  return typeof details?.body?.issuer === 'string' ? details.body.issuer : undefined;
}

/** Cognito has both endpoints at the domain of its sign-in page, but may omit them from its metadata. */
function withCognitoEndpoints(metadata: openid.ServerMetadata): openid.ServerMetadata {
  if (!isCognito(metadata.issuer) || metadata.authorization_endpoint === undefined) return { ...metadata };
  const domain = new URL(metadata.authorization_endpoint).origin;
  return {
    ...metadata,
    end_session_endpoint: metadata.end_session_endpoint ?? `${domain}/logout`,
    revocation_endpoint: metadata.revocation_endpoint ?? `${domain}/oauth2/revoke`,
  };
}

/** Amazon Cognito differs from other providers in its claims and in how people sign out. */
export function isCognito(issuer: string): boolean {
  return /^https:\/\/(cognito-idp|issuer-cognito-idp)\.[a-z0-9-]+\.amazonaws\.com(\.cn)?\//.test(
    `${issuer}/`,
  );
}
