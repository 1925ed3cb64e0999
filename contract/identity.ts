import { Type, type Static } from 'typebox';
import { RoleName } from './integrations.ts';
import { nullable, Time, Uuid } from './schema.ts';

export const User = Type.Object({
  userId: Uuid,
  name: nullable(Type.String()),
  email: nullable(Type.String()),
  picture: nullable(Type.String()),
  forgeLogin: nullable(Type.String()),
  memberships: Type.Array(Type.Object({ integrationId: Uuid, label: Type.String(), role: RoleName })),
});
export type User = Static<typeof User>;

/** A ticket for one handshake, not the lifetime of a connection. */
export const WsToken = Type.Object({ token: Type.String(), expiresAt: Time, url: Type.String() });
export type WsToken = Static<typeof WsToken>;

/** What the web app must know before anybody is signed in. */
export const PublicConfig = Type.Object({
  forgeName: Type.String(),
  forgeUrl: Type.String(),
  publicUrl: Type.String(),
  wsUrl: Type.String(),
  version: Type.String(),
  /** True while whoever uses this machine is the demo user. */
  demo: Type.Boolean(),
});
export type PublicConfig = Static<typeof PublicConfig>;
