import { Type, type Static } from 'typebox';
import { EmailAddress, nullable, pageOf, strictObject, Time, Uuid } from '../base/schema.ts';

/** Who is responsible for a workflow: a member, or a mail address such as that of a team. */
export const Owner = Type.Object({
  /** Null for a mail address. */
  userId: nullable(Uuid),
  name: nullable(Type.String()),
  /** Null for a member. */
  email: nullable(Type.String()),
});
export type Owner = Static<typeof Owner>;

const place = {
  repository: Type.String({ minLength: 1, maxLength: 255 }),
  /** Empty: all workflows of the repository that have no owner of their own. */
  workflow: Type.String({ maxLength: 255 }),
};

export const OwnedPlace = Type.Object({
  ...place,
  owner: Owner,
  setAt: Time,
  /** Null when the person is gone. */
  setBy: nullable(Type.Object({ userId: Uuid, name: nullable(Type.String()) })),
});
export type OwnedPlace = Static<typeof OwnedPlace>;

export const OwnedPlacePage = pageOf(OwnedPlace);

/** Of one integration. */
export const mostOwnedPlaces = 1000;

/** Sets the owner: a member, a mail address, or nobody. */
export const OwnerBody = strictObject({
  ...place,
  owner: nullable(Type.Union([strictObject({ userId: Uuid }), strictObject({ email: EmailAddress })])),
});
export type OwnerBody = Static<typeof OwnerBody>;

export const OwnerQuery = strictObject(place);
export type OwnerQuery = Static<typeof OwnerQuery>;

/** Fewer acts of a person on incidents suggest nobody. */
export const leastActs = 3;

/** The owner, and who could be it. */
export const OwnerAnswer = Type.Object({
  /** Of the workflow, or else of its repository. */
  owner: nullable(Owner),
  /** Whether that is the owner of the repository. */
  ofRepository: Type.Boolean(),
  /**
   * The member who acknowledged or fixed the most incidents of the last 90 days, if these are at least `leastActs` and more than those of
   * anybody else. Fixed: started the run that succeeded.
   */
  suggestion: nullable(
    Type.Object({
      userId: Uuid,
      name: nullable(Type.String()),
      acknowledged: Type.Integer(),
      fixed: Type.Integer(),
    }),
  ),
});
export type OwnerAnswer = Static<typeof OwnerAnswer>;
