import { Type, type Static } from 'typebox';
import { roles } from './roles.ts';
import { pageOf, Time, Uuid } from './schema.ts';

/** The event types an integration can subscribe to; all of them are queued (specification 6.1). */
export const queuedEvents = ['workflow_run', 'workflow_job', 'pull_request', 'pull_request_review'] as const;
export type QueuedEvent = (typeof queuedEvents)[number];

export const RoleName = Type.Enum([...roles]);

export const Integration = Type.Object({
  integrationId: Uuid,
  label: Type.String(),
  role: RoleName,
  webhookUrl: Type.String(),
  webhookEvents: Type.Array(Type.Enum([...queuedEvents])),
  createdAt: Time,
});
export type Integration = Static<typeof Integration>;

export const IntegrationPage = pageOf(Integration);
