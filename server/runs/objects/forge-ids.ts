/**
 * Forges count their ids apart from each other: two Gitea servers have a run 1 each. The first forge of an integration has place 0, and its
 * ids are stored as they are. Ids of runs, jobs and reviews of others are stored with their place in the bits above those of the forge, so
 * that they never meet, keep their order, and stay exact in JSON.
 */
const idsOfForge = 2 ** 46;

/** More forges of one integration share the last place. */
export const lastPlace = 126;

export function storedId(id: number, place: number): number {
  return place === 0 ? id : place * idsOfForge + (id % idsOfForge);
}

/** The id by which the forge knows what is stored under the id. */
export const idAtForge = (stored: number): number => stored % idsOfForge;
