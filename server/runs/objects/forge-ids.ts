/**
 * Forges count their ids apart from each other: two Gitea servers have a run 1 each. The first forge of an integration has place 0, and its
 * ids are stored as they are. Ids of runs, jobs, reviews and deployments of others are stored with their place in front, as 901000000000005, so that they
 * never meet, keep their order, and have no more digits than requests may have. The ids of GitHub have 11 digits, those of samples begin with 8.
 */
const firstPlaced = 900e12;
const idsOfForge = 1e12;

/** More forges of one integration share the last place. */
export const lastPlace = 98;

export function storedId(id: number, place: number): number {
  return place === 0 ? id : firstPlaced + place * idsOfForge + (id % idsOfForge);
}

/** The id by which the forge knows what is stored under the id. */
export const idAtForge = (stored: number): number =>
  stored < firstPlaced ? stored : (stored - firstPlaced) % idsOfForge;
