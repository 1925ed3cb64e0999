import { Type, type Static } from 'typebox';
import { nullable, Time, strictObject } from '../base/schema.ts';
import { LinkedInstallation } from './forge-app.ts';

const forgeKinds = ['github', 'gitea', 'forgejo'] as const;
export type ForgeKind = (typeof forgeKinds)[number];

export const ForgeConnectionBody = strictObject({
  forge: Type.Enum([...forgeKinds]),
  /** The web address of the forge. */
  url: Type.String({ minLength: 1, maxLength: 500 }),
  /** Stored sealed. No answer contains it. */
  token: Type.String({ minLength: 1, maxLength: 500, pattern: '^[\\x21-\\x7e]+$' }),
});
export type ForgeConnectionBody = Static<typeof ForgeConnectionBody>;

/** More webhooks than a person keeps track of. */
export const maxChosenRepositories = 200;

export const ChosenRepositoriesBody = strictObject({
  repositories: Type.Array(
    Type.String({ maxLength: 255, pattern: '^[A-Za-z0-9._-]{1,127}/[A-Za-z0-9._-]{1,127}$' }),
    { maxItems: maxChosenRepositories, uniqueItems: true },
  ),
});

export const ForgeConnectionState = Type.Object({
  /** Null when there is no access token. */
  connection: nullable(
    Type.Object({
      forge: Type.Enum([...forgeKinds]),
      url: Type.String(),
      /** Whose token it is. */
      account: Type.String(),
      /** As the forge names them. Empty when it does not. */
      permissions: Type.Array(Type.String()),
      /** Null when the forge does not say. */
      expiresAt: nullable(Time),
      savedAt: Time,
      webhooks: LinkedInstallation.properties.webhooks,
      history: LinkedInstallation.properties.history,
      /** The chosen repositories. */
      repositories: Type.Array(
        Type.Object({
          name: Type.String(),
          hasWebhook: Type.Boolean(),
          /** The forge's reason to refuse the webhook. */
          error: nullable(Type.String()),
        }),
      ),
    }),
  ),
});
export type ForgeConnectionState = Static<typeof ForgeConnectionState>;

export const ForgeRepositories = Type.Object({
  /** What the token sees, without archived repositories. */
  repositories: Type.Array(
    Type.Object({
      name: Type.String(),
      /** Whether the token may create webhooks there. */
      mayAdminister: Type.Boolean(),
    }),
  ),
});
export type ForgeRepositories = Static<typeof ForgeRepositories>;
