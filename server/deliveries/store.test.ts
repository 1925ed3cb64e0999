import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Tx } from '#platform/database/database.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { idsEqualTo, idsStartingWith } from './delivery-ids.ts';
import type { DeliveryTimes, IdRange } from './store.ts';
import { findDeliveries, listStoredDeliveries } from './store.ts';
import { statusOf } from './steps/delivery-steps.ts';

const database = await createTestDatabase();
const integrationId = '11111111-1111-4111-8111-111111111111';
const count = 5000;

// A message a second, among those of another group.
await database.asOwner(
  `with groups as (insert into queue_group (group_id) values ($1), ('other') returning group_no)
   insert into queue_message (group_no, accepted_at, deduplication_id, segment_id, body_start, body_length)
   select group_no, date_trunc('week', now(), 'UTC') + n * interval '1 second', n::text, 1, 0, 0
   from generate_series(1, $2) s (n), groups order by s.n`,
  [integrationId, count],
);
await database.asOwner('analyze queue_message');
const [week] = await database.asOwner<{ start: Date }>(`select date_trunc('week', now(), 'UTC') as start`);
const second = (n: number): string => new Date(week!.start.getTime() + n * 1000).toISOString();

/** The names of what is listed, and how many messages were read for it. */
async function list(times: DeliveryTimes): Promise<{ names: number[]; read: number }> {
  return database.api.withScope({ integrationId }, async (tx) => {
    const listed = await listStoredDeliveries(tx, undefined, times, 3);
    const { rows } = await tx.query<{ read: number }>(
      `select sum(idx_tup_fetch)::int as read from pg_stat_xact_all_tables where relname like 'queue_message%'`,
    );
    return { names: listed.map(({ deduplicationId }) => Number(deduplicationId)), read: rows[0]!.read };
  });
}

test('deliveries of a time are found without reading those before and after it', async () => {
  const cases: [DeliveryTimes, number[]][] = [
    [{}, [count, count - 1, count - 2]],
    [{ to: second(3) }, [2, 1]],
    [{ from: second(count) }, [count]],
    [{ from: second(2000), to: second(2002) }, [2001, 2000]],
    [{ from: second(2000), to: second(4000) }, [3999, 3998, 3997]],
    [{ from: second(count + 1) }, []],
    [{ to: second(1) }, []],
    [{ from: second(30), to: second(20) }, []],
  ];
  for (const [times, names] of cases) {
    const listed = await list(times);
    assert.deepEqual(listed.names, names, JSON.stringify(times));
    assert.ok(listed.read < 200, `${listed.read} messages were read for ${JSON.stringify(times)}`);
  }
});

test('deliveries are found by the beginning of their id without reading others', async () => {
  const readSoFar = async (tx: Tx): Promise<number> => {
    const { rows } = await tx.query<{ read: number }>(
      `select sum(idx_tup_fetch + seq_tup_read)::int as read from pg_stat_xact_all_tables where relname like 'queue_message%'`,
    );
    return rows[0]!.read;
  };
  const find = (range: IdRange, most: number) =>
    database.api.withScope({ integrationId }, async (tx) => {
      const before = await readSoFar(tx);
      const found = await findDeliveries(tx, range, most);
      return { count: found.length, read: (await readSoFar(tx)) - before };
    });
  const dead = `update queue_message set is_dead = true where deduplication_id in ('4321', '4500')`;
  await database.asOwner(dead);
  for (const [range, most, count] of [
    [idsStartingWith('432'), 1000, 11],
    [idsEqualTo('432'), 1000, 1],
    [idsStartingWith('4'), 100, 102],
    [idsStartingWith('x'), 1000, 0],
  ] as const) {
    const found = await find(range, most);
    assert.equal(found.count, count, JSON.stringify(range));
    assert.ok(found.read <= 2 * count + 10, `${found.read} messages were read for ${JSON.stringify(range)}`);
  }
});

test('a message waits behind the lease, is processed under it, and is done before it', async () => {
  const nth = (name: number) => `(select seq from queue_message m
    where m.group_no = queue_group.group_no and m.deduplication_id = '${name}')`;
  await database.asOwner(
    `update queue_group set done_seq = ${nth(count - 2)}, lease_hi = ${nth(count - 1)}, lease_until = now()
     where group_id = $1`,
    [integrationId],
  );
  const listed = await database.api.withScope({ integrationId }, (tx) =>
    listStoredDeliveries(tx, undefined, { from: second(count - 2) }, 5),
  );
  assert.deepEqual(
    listed.map((stored) => statusOf(stored, undefined, undefined).verdict),
    ['waiting', 'processing', 'done'],
  );
});
