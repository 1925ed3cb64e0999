import { Type, type Static } from 'typebox';
import { nullable, oneLine, pageOf, Time, TimeInput, Uuid, strictObject } from '../base/schema.ts';

/** First characters of every API token. Secret scanners recognize tokens by them and by the checksum. */
export const tokenPrefix = 'fw_';

/** Of one person, or of one integration. */
export const maxTokens = 50;

export const defaultTokenDays = 90;
/** A year, with a day for clocks and time zones. */
export const maxTokenDays = 366;

/** `read` allows GET. `write` allows everything that the role allows. `reports` allows uploading test reports, and nothing else. */
const tokenScopes = ['read', 'write', 'reports'] as const;
export type TokenScope = (typeof tokenScopes)[number];

/** The roles of an integration's own tokens. A token with the role `member` has the scope `write`, or only `reports`. */
const integrationTokenRoles = ['viewer', 'member'] as const;
export type IntegrationTokenRole = (typeof integrationTokenRoles)[number];

const common = {
  tokenId: Uuid,
  name: Type.String(),
  scopes: Type.Array(Type.Enum([...tokenScopes])),
  createdAt: Time,
  expiresAt: Time,
  /** Within a minute. Null before the first use. */
  lastUsedAt: nullable(Time),
  /** The address of the last use. */
  lastUsedAddress: nullable(Type.String()),
};

export const PersonalToken = Type.Object({
  ...common,
  /** The integrations that the token is limited to. Null: all integrations of the person. */
  integrationIds: nullable(Type.Array(Uuid)),
});
export type PersonalToken = Static<typeof PersonalToken>;

export const IntegrationToken = Type.Object({
  ...common,
  role: Type.Enum([...integrationTokenRoles]),
  /** Null when the person is gone. */
  createdBy: nullable(Type.Object({ userId: Uuid, name: nullable(Type.String()) })),
});
export type IntegrationToken = Static<typeof IntegrationToken>;

export const TokensRevoked = Type.Object({ revoked: Type.Integer() });
export type TokensRevoked = Static<typeof TokensRevoked>;

export const PersonalTokenPage = pageOf(PersonalToken);
export const IntegrationTokenPage = pageOf(IntegrationToken);

/** In plain text. It is not shown again. */
const secret = { token: Type.String() };
export const CreatedPersonalToken = Type.Object({ ...PersonalToken.properties, ...secret });
export type CreatedPersonalToken = Static<typeof CreatedPersonalToken>;
export const CreatedIntegrationToken = Type.Object({ ...IntegrationToken.properties, ...secret });
export type CreatedIntegrationToken = Static<typeof CreatedIntegrationToken>;

/** Default: in 90 days. At most a year. */
const expiresAt = Type.Optional(TimeInput);

export const PersonalTokenBody = strictObject({
  name: oneLine(100),
  scopes: Type.Array(Type.Enum([...tokenScopes]), {
    minItems: 1,
    maxItems: tokenScopes.length,
    uniqueItems: true,
  }),
  /** Default: all integrations of the person, also later ones. */
  integrationIds: Type.Optional(Type.Array(Uuid, { minItems: 1, maxItems: 100, uniqueItems: true })),
  expiresAt,
});
export type PersonalTokenBody = Static<typeof PersonalTokenBody>;

export const IntegrationTokenBody = strictObject({
  name: oneLine(100),
  /** `reports`: only uploads test reports. */
  role: Type.Enum([...integrationTokenRoles, 'reports']),
  expiresAt,
});
export type IntegrationTokenBody = Static<typeof IntegrationTokenBody>;
