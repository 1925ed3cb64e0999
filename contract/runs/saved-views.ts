import { Type, type Static } from 'typebox';
import { runFilters } from './runs.ts';
import { oneLine, pageOf, Time, Uuid, strictObject } from '../base/schema.ts';

/** Named filters of the list of runs. A view belongs to one user in one integration. */

const viewFields = {
  /** Unique among the user's views, ignoring case. */
  name: oneLine(60),
  filter: Type.Object(runFilters, { additionalProperties: false, minProperties: 1 }),
};

export const SavedViewBody = strictObject(viewFields);
export type SavedViewBody = Static<typeof SavedViewBody>;

export const SavedView = Type.Object({ viewId: Uuid, ...viewFields, createdAt: Time });
export type SavedView = Static<typeof SavedView>;

/** All views, by name. A user has at most `maxSavedViews` in an integration. */
export const SavedViewPage = pageOf(SavedView);
export type SavedViewPage = Static<typeof SavedViewPage>;
export const maxSavedViews = 50;
