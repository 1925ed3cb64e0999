import type { ForgeRepositories } from '#contract/integrations/forge-connection.ts';

type Repositories = ForgeRepositories['repositories'];

/** More would make the list slow; the filter finds the others. */
const shownAtOnce = 200;

/** The repositories whose name contains the typed text, whatever the case. */
export function matchingRepositories(repositories: Repositories, typed: string): Repositories {
  const wanted = typed.trim().toLowerCase();
  return repositories.filter(({ name }) => name.toLowerCase().includes(wanted)).slice(0, shownAtOnce);
}
