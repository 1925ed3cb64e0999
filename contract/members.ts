import { Type, type Static } from 'typebox';
import { RoleName } from './integrations.ts';
import { nullable, pageOf, pageQuery, Time, Uuid } from './schema.ts';

/** How somebody became a member: by the product itself, by an invitation, or by membership of the forge's organization. */
const memberSources = ['manual', 'invitation', 'org_sync'] as const;
export type MemberSource = (typeof memberSources)[number];

export const Member = Type.Object({
  role: RoleName,
  source: Type.Enum([...memberSources]),
  joinedAt: Time,
  user: Type.Object({
    userId: Uuid,
    name: nullable(Type.String()),
    forgeLogin: nullable(Type.String()),
    picture: nullable(Type.String()),
    /** Shown to admins and the owner; null to others. */
    email: nullable(Type.String()),
  }),
});
export type Member = Static<typeof Member>;

/** In the order they joined. */
export const MemberPage = pageOf(Member);
export type MemberPage = Static<typeof MemberPage>;

export const MemberQuery = Type.Object(pageQuery, { additionalProperties: false });
export type MemberQuery = Static<typeof MemberQuery>;

/** `owner` is refused with 403 `owner_not_assignable`. */
export const ChangeRoleBody = Type.Object({ role: RoleName }, { additionalProperties: false });

export const TransferOwnershipBody = Type.Object({ userId: Uuid }, { additionalProperties: false });
