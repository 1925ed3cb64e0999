/** The owner of all sample repositories. No forge allows a space in the name of an account, so no real repository has it. */
export const sampleOwner = 'Sample data';

export const sampleRepositoryNames = [
  'web-console',
  'billing-api',
  'search',
  'mobile-app',
  'auth-gateway',
  'data-pipeline',
] as const;

/** All of them. Removing sample data finds its rows by these names, so a name must stay here as long as data may have it. */
export const sampleRepositories: readonly string[] = sampleRepositoryNames.map(
  (name) => `${sampleOwner}/${name}`,
);

const prefix = `${sampleOwner}/`;

/** Whether the repository is reserved for sample data. */
export function isSampleRepository(repository: string): boolean {
  return repository.startsWith(prefix);
}

/**
 * Ids of sample runs, reviews and deployments begin here. Forges count from 1 and are far below, so the rows of sample data are one range of an
 * index. Searches find numbers of up to 15 digits.
 */
export const sampleIdsFrom = 800_000_000_000_000;
