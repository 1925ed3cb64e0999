/** SQL: the newest name at the forge of the repository that is stored under a name. */
export const fullNameOf = (integrationId: string, repository: string): string => `coalesce((
  select p.full_name from repositories p where p.integration_id = ${integrationId} and p.repository = ${repository}), ${repository})`;
