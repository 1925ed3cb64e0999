import { Type, type Static } from 'typebox';
import { nullable, Time, strictObject } from '../base/schema.ts';

/** The forge's id of an installation of the forge application. */
export const InstallationId = Type.String({ pattern: '^[1-9][0-9]{0,17}$' });

export const LinkedInstallation = Type.Object({
  installationId: InstallationId,
  /** The organization or person that installed the application. */
  account: Type.Object({ login: Type.String(), type: Type.String() }),
  linkedAt: Time,
  /** The forge suspended the installation. Members stay unchanged. */
  isSuspended: Type.Boolean(),
  /** The sync of the organization's members. */
  sync: Type.Object({
    state: Type.Enum(['waiting', 'running', 'done', 'failed']),
    /** Members read so far, including people who have not signed in yet. */
    members: Type.Integer({ minimum: 0 }),
    finishedAt: nullable(Time),
    nextAt: nullable(Time),
    /** Message of the last failure. */
    error: nullable(Type.String()),
  }),
  /** The webhooks of its repositories. */
  webhooks: Type.Object({
    state: Type.Enum(['waiting', 'done', 'failed']),
    repositories: Type.Integer({ minimum: 0 }),
    /** Repositories that have a webhook. While the state is `waiting`, some may have an old secret or old events. */
    provisioned: Type.Integer({ minimum: 0 }),
    /** The reason of the last failure, or of the first refusal. */
    error: nullable(Type.String()),
  }),
  /** The import of runs from before the link. Null when it was not requested. */
  history: nullable(
    Type.Object({
      state: Type.Enum(['waiting', 'running', 'stopped', 'done', 'failed']),
      since: Time,
      repositories: Type.Integer({ minimum: 0 }),
      repositoriesRead: Type.Integer({ minimum: 0 }),
      runs: Type.Integer({ minimum: 0 }),
      finishedAt: nullable(Time),
      error: nullable(Type.String()),
    }),
  ),
});
export type LinkedInstallation = Static<typeof LinkedInstallation>;

export const ForgeAppState = Type.Object({
  /** Whether a forge application is configured on this server. */
  isConfigured: Type.Boolean(),
  installations: Type.Array(LinkedInstallation),
});
export type ForgeAppState = Static<typeof ForgeAppState>;

/** The URL to install the application, and the proof of who started it. */
export const ForgeAppSetup = Type.Object({
  installUrl: Type.String(),
  proof: Type.String(),
  expiresAt: Time,
});
export type ForgeAppSetup = Static<typeof ForgeAppSetup>;

export const LinkInstallationBody = strictObject({
  /** Text, as everywhere in this API, or the number that the forge's API returns. */
  installationId: Type.Union([
    InstallationId,
    Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  ]),
  proof: Type.String({ minLength: 1, maxLength: 2048 }),
});

/** How many days of history to read. */
export const ReadHistoryBody = strictObject({ days: Type.Integer({ minimum: 1, maximum: 90 }) });
