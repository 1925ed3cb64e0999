import { Type, type Static } from 'typebox';
import { nullable, Uuid, strictObject } from '../base/schema.ts';

const IntegrationIds = Type.Array(Uuid, { maxItems: 100, uniqueItems: true });

/** Mail to a person about the runs that they started. */
export const PersonalNotifications = Type.Object({
  enabled: Type.Boolean(),
  /** Null: every integration of the person, also later ones. */
  integrationIds: nullable(IntegrationIds),
  /** Where the mails go. Null while none are sent. */
  email: nullable(Type.String()),
});
export type PersonalNotifications = Static<typeof PersonalNotifications>;

export const PersonalNotificationsBody = strictObject({
  enabled: Type.Boolean(),
  integrationIds: nullable(IntegrationIds),
});
export type PersonalNotificationsBody = Static<typeof PersonalNotificationsBody>;

/** Mails to one person in an hour. */
export const mostPersonalMailsPerHour = 20;

export const UnsubscribeQuery = strictObject({ token: Type.String({ minLength: 1, maxLength: 100 }) });
