import { Type, type Static } from 'typebox';
import { roles } from './roles.ts';
import { nullable, oneLine, pageOf, pageQuery, Time, Uuid } from './schema.ts';

/** The event types that an integration can subscribe to. All of them are queued. */
export const queuedEvents = ['workflow_run', 'workflow_job', 'pull_request', 'pull_request_review'] as const;
export type QueuedEvent = (typeof queuedEvents)[number];

export const RoleName = Type.Enum([...roles]);

export const Integration = Type.Object({
  integrationId: Uuid,
  label: Type.String(),
  /** Of the caller. */
  role: RoleName,
  webhookUrl: Type.String(),
  webhookEvents: Type.Array(Type.Enum([...queuedEvents])),
  /** Which secret the last delivery was signed with; null before the first one. */
  lastSecretUsed: nullable(Type.Union([Type.Literal('current'), Type.Literal('previous')])),
  /** Until then the secret before the last rotation verifies as well; null when only the current one does. */
  previousSecretValidUntil: nullable(Time),
  createdAt: Time,
});
export type Integration = Static<typeof Integration>;

export const IntegrationPage = pageOf(Integration);
export type IntegrationPage = Static<typeof IntegrationPage>;

export const IntegrationQuery = Type.Object(pageQuery, { additionalProperties: false });

export const IntegrationBody = Type.Object({ label: oneLine(100) }, { additionalProperties: false });

export const CreatedIntegration = Type.Object({
  ...Integration.properties,
  /** In clear, this once. */
  webhookSecret: Type.String(),
});
export type CreatedIntegration = Static<typeof CreatedIntegration>;

/** The forge's side can be changed for a week at most. */
export const mostGraceHours = 168;
export const defaultGraceHours = 24;

export const RotateSecretBody = Type.Object(
  {
    /** How long the old secret goes on verifying; 0 ends it at once. Default 24. */
    graceHours: Type.Optional(Type.Integer({ minimum: 0, maximum: mostGraceHours })),
  },
  { additionalProperties: false },
);

export const RotatedSecret = Type.Object({
  /** In clear, this once. */
  webhookSecret: Type.String(),
  /** Null when the old secret ended at once. */
  previousSecretValidUntil: nullable(Time),
});
export type RotatedSecret = Static<typeof RotatedSecret>;

export const WebhookEventsBody = Type.Object(
  { events: Type.Array(Type.Enum([...queuedEvents]), { maxItems: queuedEvents.length, uniqueItems: true }) },
  { additionalProperties: false },
);

/** What was put on its way for a trial. */
export const SampleTraffic = Type.Object({ events: Type.Integer(), seconds: Type.Integer() });
export type SampleTraffic = Static<typeof SampleTraffic>;
