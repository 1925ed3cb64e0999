import { Type, type Static } from 'typebox';
import { RoleName } from '../integrations/integrations.ts';
import { nullable, pageOf, pageQuery, Time, Uuid, strictObject } from '../base/schema.ts';

/**
 * Where a membership comes from: by hand (who created the integration, or whose role was changed here), by an invitation, or
 * from the forge's organization, with which it ends.
 */
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

export const MemberQuery = strictObject(pageQuery);
export type MemberQuery = Static<typeof MemberQuery>;

/** `owner` is refused with 403 `owner_not_assignable`. */
export const ChangeRoleBody = strictObject({ role: RoleName });

export const TransferOwnershipBody = strictObject({ userId: Uuid });
