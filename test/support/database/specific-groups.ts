import type { TestDatabase } from './test-database.ts';

/** Makes the groups of an integration name what failed, as those with a read log do. */
export async function makeGroupsSpecific({ asOwner }: TestDatabase, integrationId: string): Promise<void> {
  await asOwner('update failure_groups set is_specific = true where integration_id = $1', [integrationId]);
}
