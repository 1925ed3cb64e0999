import type { Read, SettingFault } from './settings.ts';
import * as type from './setting-types.ts';
import { missingOf } from './together.ts';

/** Who people are and how they sign in (design/auth.md). */
export function readSignInSettings(read: Read) {
  return {
    oidcIssuer: read({
      name: 'OIDC_ISSUER',
      default: 'unset: the built-in identity provider',
      meaning: 'any OpenID provider with discovery, Amazon Cognito included',
      parse: type.address('https:', 'http:'),
    }),
    oidcClientId: read({
      name: 'OIDC_CLIENT_ID',
      default: 'unset',
      meaning: 'the client this service is at `OIDC_ISSUER`',
      parse: type.text,
    }),
    oidcClientSecret: read({
      name: 'OIDC_CLIENT_SECRET',
      default: 'unset',
      meaning: 'its secret; unset for a public client',
      parse: type.text,
      secret: true,
    }),
    oidcScopes: read({
      name: 'OIDC_SCOPES',
      default: 'openid email profile',
      meaning:
        'asked for at sign-in, separated by spaces; providers that give refresh tokens for it need `offline_access`',
      parse: type.scopes,
    }),
    oidcAuthorizeParams: read({
      name: 'OIDC_AUTHORIZE_PARAMS',
      default: 'unset',
      meaning: 'extra query for the authorize URL, such as `identity_provider=Forge` for Cognito',
      parse: type.queryString,
    }),
    signInBinding: read({
      name: 'SIGN_IN_BINDING',
      default: 'compat',
      meaning:
        '`compat` also accepts a `state` that holds only `redirect_url`, unless somebody else is signed in; `strict` accepts only a sign-in that this browser began (recommended, see [decision 16](decisions/0016-sign-in-binding.md))',
      parse: type.oneOf('compat', 'strict'),
    }),
    sessionMaxDays: read({
      name: 'SESSION_MAX_DAYS',
      default: '30',
      meaning: 'days after which everybody has to sign in again, whatever the identity provider allows',
      parse: type.integer(1, 365),
    }),
    cookiePrefix: read({
      name: 'COOKIE_PREFIX',
      default: 'unset',
      meaning: '`__Host-` ties the cookies to this very host; only the prefixed names are then read',
      parse: type.oneOf('__Host-'),
    }),
    trustedProxies:
      read({
        name: 'TRUSTED_PROXIES',
        default: 'unset: the peer is the client',
        meaning:
          'networks of the proxies in front, such as `10.0.0.0/8`, comma-separated; only from them `X-Forwarded-For` tells whose requests are counted',
        parse: type.networkList,
      }) ?? [],
    forgeClientId: read({
      name: 'FORGE_CLIENT_ID',
      default: 'unset',
      meaning: "the forge's OAuth application, for the built-in identity provider and the Cognito shim",
      parse: type.text,
    }),
    forgeClientSecret: read({
      name: 'FORGE_CLIENT_SECRET',
      default: 'unset',
      meaning: 'its secret',
      parse: type.text,
      secret: true,
    }),
    cognitoRedirectUrl: read({
      name: 'COGNITO_REDIRECT_URL',
      default: 'unset',
      meaning:
        "where Cognito takes the forge's answer, `https://<domain>/oauth2/idpresponse`, when it signs people in through our shim",
      parse: type.address('https:', 'http:'),
    }),
  };
}

/** What cannot work together, each named by the variable to change. */
export function signInFaults(settings: ReturnType<typeof readSignInSettings>): SettingFault[] {
  const { oidcIssuer, oidcClientId, forgeClientId, forgeClientSecret } = settings;
  return [
    // The client's id alone is harmless.
    ...(oidcIssuer === undefined ? [] : missingOf({ OIDC_ISSUER: oidcIssuer, OIDC_CLIENT_ID: oidcClientId })),
    ...missingOf({ FORGE_CLIENT_ID: forgeClientId, FORGE_CLIENT_SECRET: forgeClientSecret }),
  ];
}
