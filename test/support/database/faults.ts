import type { TestDatabase } from './test-database.ts';

type Owner = Pick<TestDatabase, 'asOwner'>;

/** Runs `work` while the trigger is off: its announcements are lost. */
export async function withoutTrigger<Result>(
  { asOwner }: Owner,
  table: string,
  trigger: string,
  work: () => Promise<Result>,
): Promise<Result> {
  await asOwner(`alter table ${table} disable trigger ${trigger}`);
  try {
    return await work();
  } finally {
    await asOwner(`alter table ${table} enable trigger ${trigger}`);
  }
}

/** Runs `work` while a role of the product may not insert into the table: its statements fail. */
export async function withoutInsert<Result>(
  { asOwner }: Owner,
  table: string,
  work: () => Promise<Result>,
  role: 'api' | 'worker' = 'api',
): Promise<Result> {
  await asOwner(`revoke insert on ${table} from forgewatch_${role}`);
  try {
    return await work();
  } finally {
    await asOwner(`grant insert on ${table} to forgewatch_${role}`);
  }
}
