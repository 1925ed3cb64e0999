import { Type, type Static } from 'typebox';
import { runFilters } from './monitoring.ts';
import { oneLine, pageOf, Time, Uuid } from './schema.ts';

/** Filters of the list of runs under a name, for one person in one integration. */

const viewFields = {
  /** Told apart from the person's other views without upper and lower case. */
  name: oneLine(60),
  filter: Type.Object(runFilters, { additionalProperties: false, minProperties: 1 }),
};

export const SavedViewBody = Type.Object(viewFields, { additionalProperties: false });
export type SavedViewBody = Static<typeof SavedViewBody>;

export const SavedView = Type.Object({ viewId: Uuid, ...viewFields, createdAt: Time });
export type SavedView = Static<typeof SavedView>;

/** All of them, by name; a person has at most `maxSavedViews` in an integration. */
export const SavedViewPage = pageOf(SavedView);
export type SavedViewPage = Static<typeof SavedViewPage>;
export const maxSavedViews = 50;
