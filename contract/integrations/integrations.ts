import { Type, type Static } from 'typebox';
import { roles } from '../members/roles.ts';
import { nullable, oneLine, pageOf, pageQuery, Time, Uuid, strictObject } from '../base/schema.ts';

/** The event types that an integration can subscribe to. All of them are queued. */
export const queuedEvents = [
  'workflow_run',
  'workflow_job',
  'pull_request',
  'pull_request_review',
  'deployment_status',
] as const;
export type QueuedEvent = (typeof queuedEvents)[number];

export const RoleName = Type.Enum([...roles]);

export const Integration = Type.Object({
  integrationId: Uuid,
  label: Type.String(),
  /** The caller's role. */
  role: RoleName,
  webhookUrl: Type.String(),
  webhookEvents: Type.Array(Type.Enum([...queuedEvents])),
  /** The secret that signed the last delivery. Null before the first delivery. */
  lastSecretUsed: nullable(Type.Union([Type.Literal('current'), Type.Literal('previous')])),
  /** The previous secret is valid until then. Null when only the current one is valid. */
  previousSecretValidUntil: nullable(Time),
  createdAt: Time,
});
export type Integration = Static<typeof Integration>;

export const IntegrationPage = pageOf(Integration);
export type IntegrationPage = Static<typeof IntegrationPage>;

export const IntegrationQuery = strictObject(pageQuery);

export const IntegrationBody = strictObject({ label: oneLine(100) });

export const CreatedIntegration = Type.Object({
  ...Integration.properties,
  /** In plain text. It is not shown again. */
  webhookSecret: Type.String(),
});
export type CreatedIntegration = Static<typeof CreatedIntegration>;

/** A week to change the secret at the forge. */
export const maxGraceHours = 168;
export const defaultGraceHours = 24;

export const RotateSecretBody = strictObject({
  /** How long the old secret stays valid. 0 revokes it at once. Default 24. */
  graceHours: Type.Optional(Type.Integer({ minimum: 0, maximum: maxGraceHours })),
});

export const RotatedSecret = Type.Object({
  /** In plain text. It is not shown again. */
  webhookSecret: Type.String(),
  /** Null when the old secret was revoked at once. */
  previousSecretValidUntil: nullable(Time),
});
export type RotatedSecret = Static<typeof RotatedSecret>;

export const WebhookEventsBody = strictObject({
  events: Type.Array(Type.Enum([...queuedEvents]), { maxItems: queuedEvents.length, uniqueItems: true }),
});

/** Whether the integration has sample data. While it is being removed, no more can be sent. */
export const SampleData = Type.Object({ state: Type.Enum(['none', 'present', 'removing']) });
export type SampleData = Static<typeof SampleData>;

/** The sample traffic that was started. */
export const SampleTraffic = Type.Object({ events: Type.Integer(), seconds: Type.Integer() });
export type SampleTraffic = Static<typeof SampleTraffic>;
