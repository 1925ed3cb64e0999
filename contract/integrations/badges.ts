import { Type, type Static } from 'typebox';
import { nullable, oneLine, pageOf, Time, Uuid, strictObject } from '../base/schema.ts';

/** Of one integration. */
export const maxBadges = 200;

/** Everybody who knows the id sees the state of the workflow. */
export const BadgeId = Type.String({ pattern: '^[A-Za-z0-9_-]{22}$' });

export const Badge = Type.Object({
  badgeId: BadgeId,
  repository: Type.String(),
  workflow: Type.String(),
  /** Null: the default branch. */
  branch: nullable(Type.String()),
  createdAt: Time,
  /** Null when the person is gone. */
  createdBy: nullable(Type.Object({ userId: Uuid, name: nullable(Type.String()) })),
  imageUrl: Type.String(),
  /** For https://shields.io/badges/endpoint-badge. */
  endpointUrl: Type.String(),
});
export type Badge = Static<typeof Badge>;

export const BadgePage = pageOf(Badge);

export const BadgeBody = strictObject({
  repository: oneLine(255),
  workflow: oneLine(255),
  /** Default: the default branch. */
  branch: Type.Optional(oneLine(255)),
});
export type BadgeBody = Static<typeof BadgeBody>;

/** https://shields.io/badges/endpoint-badge */
export const BadgeEndpoint = Type.Object({
  schemaVersion: Type.Literal(1),
  label: Type.String(),
  message: Type.String(),
  color: Type.String(),
  isError: Type.Boolean(),
});
export type BadgeEndpoint = Static<typeof BadgeEndpoint>;
