import { Type, type Static } from 'typebox';
import { nullable, Time } from './schema.ts';

/** The forge's number of an installation of its application. */
export const InstallationId = Type.String({ pattern: '^[1-9][0-9]{0,17}$' });

export const LinkedInstallation = Type.Object({
  installationId: InstallationId,
  /** The organization or person that installed it. */
  account: Type.Object({ login: Type.String(), type: Type.String() }),
  linkedAt: Time,
  /** The forge took the application's rights away for now; members stay as they are. */
  isSuspended: Type.Boolean(),
  /** The reading of the organization's members. */
  sync: Type.Object({
    state: Type.Enum(['waiting', 'running', 'done', 'failed']),
    /** Members read so far, those who have not signed in yet included. */
    members: Type.Integer({ minimum: 0 }),
    finishedAt: nullable(Time),
    nextAt: nullable(Time),
    /** What went wrong the last time, in words. */
    error: nullable(Type.String()),
  }),
  /** The hooks by which its repositories tell of their runs. */
  hooks: Type.Object({
    state: Type.Enum(['waiting', 'done', 'failed']),
    repositories: Type.Integer({ minimum: 0 }),
    /** Repositories that have a hook; while the state is `waiting`, some may still have former events or secret. */
    provisioned: Type.Integer({ minimum: 0 }),
    /** Why it did not go on, or why the first repository refused. */
    error: nullable(Type.String()),
  }),
  /** The reading of runs from before the link; null when nobody asked for it. */
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
  /** Whether whoever runs the service has set up a forge application. */
  isConfigured: Type.Boolean(),
  installations: Type.Array(LinkedInstallation),
});
export type ForgeAppState = Static<typeof ForgeAppState>;

/** Where to install the application, and what shows afterwards who began it. */
export const ForgeAppSetup = Type.Object({
  installUrl: Type.String(),
  proof: Type.String(),
  expiresAt: Time,
});
export type ForgeAppSetup = Static<typeof ForgeAppSetup>;

export const LinkInstallationBody = Type.Object(
  {
    /** As text, as everywhere here, or as the number that the forge's API gives. */
    installationId: Type.Union([
      InstallationId,
      Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    ]),
    proof: Type.String({ minLength: 1, maxLength: 2048 }),
  },
  { additionalProperties: false },
);
export type LinkInstallationBody = Static<typeof LinkInstallationBody>;

/** How far back history is read. */
export const ReadHistoryBody = Type.Object(
  { days: Type.Integer({ minimum: 1, maximum: 90 }) },
  { additionalProperties: false },
);
export type ReadHistoryBody = Static<typeof ReadHistoryBody>;
