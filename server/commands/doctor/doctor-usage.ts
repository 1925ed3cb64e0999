import type pg from 'pg';
import { byteSize } from '#contract/base/byte-size.ts';
import { dayOf, describeExceeded, exceededQuota, type QuotaLimits } from '#server/quotas/quota-day.ts';
import type { Finding } from './finding.ts';

interface UsageRow {
  integrationId: string;
  label: string;
  bytes: string;
  events: string;
  refused: string;
  ownerBytes: string;
}

/** Most findings about integrations whose quota is used up. */
const mostNamed = 5;

/** The integration that stored most today, and those whose quota is used up. */
export async function checkUsage(client: pg.Client, limits: QuotaLimits): Promise<Finding[]> {
  const rows = await readUsage(client);
  const exceeded = rows.flatMap((row): Finding[] => {
    const { integrationId, label, refused } = row;
    const [bytes, events, ownerBytes] = [row.bytes, row.events, row.ownerBytes].map(Number) as [
      number,
      number,
      number,
    ];
    const quota = exceededQuota(limits, { bytes, events, ownerBytes });
    if (quota === undefined) return [];
    const { title, setting } = describeExceeded(quota, limits);
    return [
      {
        check: 'quotas',
        verdict: 'note',
        text: `${label} (${integrationId}): ${title}, ${refused} refused today. ${setting} raises it.`,
      },
    ];
  });
  if (exceeded.length > 0) return exceeded.slice(0, mostNamed);
  const [most] = rows.toSorted((a, b) => Number(b.bytes) - Number(a.bytes));
  const text =
    most === undefined
      ? 'nothing was stored today'
      : `none is used up; ${most.label} stored most today: ${byteSize(Number(most.bytes))}, ${most.events} webhooks`;
  return [{ check: 'quotas', verdict: 'ok', text }];
}

/** As the role that reads all rows: row-level security hides them from the owner. */
async function readUsage(client: pg.Client): Promise<UsageRow[]> {
  await client.query('begin; set local role forgewatch_backup');
  try {
    const { rows } = await client.query<UsageRow>(
      `select u.integration_id as "integrationId", i.label, u.bytes, u.events, u.refused,
       coalesce(p.bytes, 0) as "ownerBytes"
     from integration_usage u join integrations i using (integration_id)
     left join memberships m on m.integration_id = u.integration_id and m.role = 'owner'
     left join person_usage p on p.user_id = m.user_id and p.day = u.day
     where u.day = $1::date order by u.refused desc, u.bytes desc limit 1000`,
      [dayOf(Date.now())],
    );
    return rows;
  } finally {
    await client.query('rollback');
  }
}
