import { sentAhead, type Tx } from '#platform/database/database.ts';
import { columnsOf } from '#platform/database/rows/columns-of.ts';

/** What is added to the counts of an integration. Negative for what was counted and then not stored. */
export interface UsageDelta {
  integrationId: string;
  bytes: number;
  events: number;
  refused: number;
}

export interface StoredUsage {
  bytes: number;
  events: number;
  refused: number;
}

interface OwnerUsage {
  userId: string;
  /** Of all integrations of the owner. */
  bytes: number;
}

export interface SavedUsage extends StoredUsage {
  integrationId: string;
  owner: OwnerUsage | undefined;
}

/** The numbers of `excluded` begin a new day or are added. A process whose clock is behind adds to the day of the others. */
const added = (column: string): string =>
  `${column} = case when excluded.day > u.day then excluded.${column} else greatest(0, u.${column} + excluded.${column}) end`;

/** Adds to the counts of integrations in scope and of their owners. Returns the new counts; none of an integration that is deleted. */
export async function addUsage(tx: Tx, day: string, deltas: readonly UsageDelta[]): Promise<SavedUsage[]> {
  const integrations = sentAhead(
    tx.rows<Record<keyof StoredUsage | 'integrationId', string>>({
      name: 'add-integration-usage',
      text: `insert into integration_usage as u (integration_id, day, bytes, events, refused)
           select i.integration_id, $1::date, s.bytes, s.events, s.refused
           from unnest($2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[]) s (integration_id, bytes, events, refused)
           join integrations i using (integration_id) order by i.integration_id
           on conflict (integration_id) do update set day = greatest(u.day, excluded.day), ${added('bytes')},
             ${added('events')}, ${added('refused')}
           returning integration_id as "integrationId", bytes, events, refused`,
      values: [day, ...columnsOf(deltas, 'integrationId', 'bytes', 'events', 'refused')],
    }),
  );
  const owners = sentAhead(
    tx.rows<{ integrationId: string; userId: string; bytes: string }>({
      name: 'add-person-usage',
      text: `with owned as (
             select m.integration_id, m.user_id, s.bytes
             from unnest($2::uuid[], $3::bigint[]) s (integration_id, bytes)
             join memberships m on m.integration_id = s.integration_id and m.role = 'owner'
           ), saved as (
             insert into person_usage as u (user_id, day, bytes)
             select user_id, $1::date, sum(bytes) from owned group by user_id order by user_id
             on conflict (user_id) do update set day = greatest(u.day, excluded.day), ${added('bytes')}
             returning user_id, bytes)
           select o.integration_id as "integrationId", o.user_id as "userId", s.bytes from owned o join saved s using (user_id)`,
      values: [day, ...columnsOf(deltas, 'integrationId', 'bytes')],
    }),
  );
  const [saved, ofOwners] = await Promise.all([integrations, owners]);
  const ownerOf = new Map(
    ofOwners.map(({ integrationId, userId, bytes }) => [integrationId, { userId, bytes: Number(bytes) }]),
  );
  return saved.map(({ integrationId, bytes, events, refused }) => ({
    integrationId,
    bytes: Number(bytes),
    events: Number(events),
    refused: Number(refused),
    owner: ownerOf.get(integrationId),
  }));
}

/** The counts of the integration in scope. `owner` only for the owner. */
export async function selectUsage(
  tx: Tx,
  integrationId: string,
  userId: string,
  day: string,
): Promise<StoredUsage & { ownerBytes: number; isOwner: boolean }> {
  const row = await tx.row<Record<keyof StoredUsage | 'ownerBytes', string> & { isOwner: boolean }>({
    text: `select coalesce(u.bytes, 0) as bytes, coalesce(u.events, 0) as events, coalesce(u.refused, 0) as refused,
             coalesce(p.bytes, 0) as "ownerBytes", m.user_id is not distinct from $2 as "isOwner"
           from integrations i
           left join integration_usage u on u.integration_id = i.integration_id and u.day = $3::date
           left join memberships m on m.integration_id = i.integration_id and m.role = 'owner'
           left join person_usage p on p.user_id = m.user_id and p.day = $3::date
           where i.integration_id = $1`,
    values: [integrationId, userId, day],
  });
  return {
    bytes: Number(row?.bytes ?? 0),
    events: Number(row?.events ?? 0),
    refused: Number(row?.refused ?? 0),
    ownerBytes: Number(row?.ownerBytes ?? 0),
    isOwner: row?.isOwner ?? false,
  };
}

/** Bytes of logs that a person or an API token of an integration had read today. */
export async function findLogUsage(tx: Tx, readerId: string, day: string): Promise<number> {
  const bytes = await tx.value<string>(
    'select bytes from log_usage where reader_id = $1 and day = $2::date',
    [readerId, day],
  );
  return Number(bytes ?? 0);
}

export async function addLogUsage(tx: Tx, readerId: string, day: string, bytes: number): Promise<void> {
  await tx.query(
    `with past as (delete from log_usage where day < $2::date - 1)
     insert into log_usage as u (reader_id, day, bytes) values ($1, $2::date, $3)
     on conflict (reader_id) do update set day = excluded.day,
       bytes = case when u.day = excluded.day then u.bytes else 0 end + excluded.bytes`,
    [readerId, day, bytes],
  );
}
