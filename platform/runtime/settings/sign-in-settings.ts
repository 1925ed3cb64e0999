import type { Read, SettingFault } from './setting.ts';
import * as type from './setting-types.ts';
import { missingOf } from './together.ts';

/** The identity provider, sessions and the OAuth application of the forge. See docs/architecture/sign-in.md. */
export function readSignInSettings(read: Read) {
  return {
    ...readProviderSettings(read),
    ...readSessionSettings(read),
    ...readForgeSignInSettings(read),
  };
}

/** The OpenID provider. */
function readProviderSettings(read: Read) {
  return {
    oidcIssuer: read({
      name: 'OIDC_ISSUER',
      default: 'unset: the built-in identity provider',
      meaning: 'issuer URL of an OpenID provider that supports discovery, such as Amazon Cognito',
      parse: type.address('https:', 'http:'),
    }),
    oidcClientId: read({
      name: 'OIDC_CLIENT_ID',
      default: 'unset',
      meaning: 'OAuth client ID registered with the issuer',
      parse: type.text,
    }),
    oidcClientSecret: read({
      name: 'OIDC_CLIENT_SECRET',
      default: 'unset',
      meaning: 'OAuth client secret; leave unset for a public client',
      parse: type.text,
      secret: true,
    }),
    oidcScopes: read({
      name: 'OIDC_SCOPES',
      default: 'openid email profile',
      meaning:
        'space-separated scopes requested at sign-in; add `offline_access` if your provider requires it for refresh tokens',
      parse: type.scopes,
    }),
    oidcAuthorizeParams: read({
      name: 'OIDC_AUTHORIZE_PARAMS',
      default: 'unset',
      meaning: 'extra query parameters of the authorize URL, such as `identity_provider=Forge` for Cognito',
      parse: type.queryString,
    }),
  };
}

function readSessionSettings(read: Read) {
  return {
    signInBinding: read({
      name: 'SIGN_IN_BINDING',
      default: 'compat',
      meaning:
        '`strict` accepts only a sign-in that was started in the same browser (recommended); `compat` also accepts a `state` that contains only `redirect_url`, unless another user is signed in (see [decision 16](decisions/0016-sign-in-binding.md))',
      parse: type.oneOf('compat', 'strict'),
    }),
    sessionMaxDays: read({
      name: 'SESSION_MAX_DAYS',
      default: '30',
      meaning:
        'days after which users must sign in again, also if the identity provider would allow more; needs `auth_time` in its ID tokens, which Dex does not send',
      parse: type.integer(1, 365),
    }),
    cookiePrefix: read({
      name: 'COOKIE_PREFIX',
      default: 'unset',
      meaning: '`__Host-` binds the cookies to this host; cookies without the prefix are then ignored',
      parse: type.oneOf('__Host-'),
    }),
    trustedProxies:
      read({
        name: 'TRUSTED_PROXIES',
        default: 'unset: the peer is the client',
        meaning:
          'comma-separated networks of the reverse proxies, such as `10.0.0.0/8`; only requests from them may set the client address with `X-Forwarded-For`',
        parse: type.networkList,
      }) ?? [],
  };
}

/** The OAuth application of the forge. */
function readForgeSignInSettings(read: Read) {
  return {
    forgeClientId: read({
      name: 'FORGE_CLIENT_ID',
      default: 'unset',
      meaning:
        'client ID of an OAuth application at the forge; its callback URL is `PUBLIC_URL/api/auth/callback/forge`, or `PUBLIC_URL/api/auth/cognito/callback` for Cognito',
      parse: type.text,
    }),
    forgeClientSecret: read({
      name: 'FORGE_CLIENT_SECRET',
      default: 'unset',
      meaning: 'client secret of the OAuth application at the forge',
      parse: type.text,
      secret: true,
    }),
    cognitoRedirectUrl: read({
      name: 'COGNITO_REDIRECT_URL',
      default: 'unset',
      meaning:
        'redirect URL of the Cognito user pool, `https://<domain>/oauth2/idpresponse`, if Cognito signs users in through Forgewatch',
      parse: type.address('https:', 'http:'),
    }),
  };
}

/** Faults of combinations, named by the variable to change. */
export function signInFaults(settings: ReturnType<typeof readSignInSettings>): SettingFault[] {
  const { oidcIssuer, oidcClientId, forgeClientId, forgeClientSecret } = settings;
  return [
    // OIDC_CLIENT_ID alone has no effect.
    ...(oidcIssuer === undefined ? [] : missingOf({ OIDC_ISSUER: oidcIssuer, OIDC_CLIENT_ID: oidcClientId })),
    ...missingOf({ FORGE_CLIENT_ID: forgeClientId, FORGE_CLIENT_SECRET: forgeClientSecret }),
  ];
}
