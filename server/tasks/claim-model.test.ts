import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { ageRows, countRows, deleteRows, readRows } from '#test/support/database/rows.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import {
  claimTasks,
  finishTask,
  renewTasks,
  rescheduleTask,
  upsertTasks,
  type LeasedTask,
  type OfKind,
} from './store.ts';
import type { TaskKey } from './task.ts';

/**
 * Claims of several processes against a second, plain description of what they may take. Each process knows only its own turns, as in
 * the product. Time passes by moving the stored times into the past.
 */
const database = await createTestDatabase();
const integrations = await Promise.all(Array.from({ length: 3 }, () => insertIntegration(database)));
const leaseMs = 60_000;
/** Less than the lease, so that processes that live renew in time. */
const stepMs = 25_000;

interface Places {
  kind: string;
  quick: number;
  slow: number;
  perIntegration: number;
}

interface Process {
  turns: LeasedTask[];
  slow: OfKind[];
}

interface Row {
  integration_id: string;
  kind: string;
  key: string;
  due_at: Date | null;
  leased_until: Date | null;
  failures: number;
}

const idOf = ({ integrationId, kind, key }: TaskKey): string => `${integrationId} ${kind} ${key}`;
const isOf =
  ({ integrationId, kind }: OfKind) =>
  (other: OfKind): boolean =>
    other.integrationId === integrationId && other.kind === kind;

function inScope(task: OfKind, work: Parameters<typeof database.worker.withScope<void>>[1]): Promise<void> {
  return database.worker.withScope({ integrationId: task.integrationId }, work);
}

const freeAt = ({ turns }: Process, places: readonly Places[]): Places[] =>
  places.map((each) => {
    const own = turns.filter(({ kind }) => kind === each.kind);
    return {
      ...each,
      quick: each.quick - own.filter(({ isSlow }) => !isSlow).length,
      slow: each.slow - own.filter(({ isSlow }) => isSlow).length,
    };
  });

const claimFor = (process: Process, free: readonly Places[]): Promise<LeasedTask[]> =>
  database.worker.withScope('service', (tx) =>
    claimTasks(tx, free, { busy: process.turns, slow: process.slow, leaseMs }),
  );

interface Eligible extends TaskKey {
  isSlow: boolean;
  dueAt: number;
}

/** What is due and has no lease: those that may be quick come first, then those that are due longest. */
function eligibleOf(rows: readonly Row[], process: Process, of: OfKind): Eligible[] {
  const now = Date.now();
  return rows
    .filter((row) => row.integration_id === of.integrationId && row.kind === of.kind)
    .filter((row) => row.due_at !== null && row.due_at.getTime() <= now)
    .filter((row) => row.leased_until === null || row.leased_until.getTime() < now)
    .map((row) => ({
      ...of,
      key: row.key,
      dueAt: row.due_at!.getTime(),
      isSlow: row.failures > 0 || process.slow.some(isOf(of)),
    }))
    .sort((a, b) => Number(a.isSlow) - Number(b.isSlow) || a.dueAt - b.dueAt);
}

const numbers = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);

/**
 * A claim takes as much as there are places for: those whose integrations have the fewest turns, and of each integration those that are due
 * longest. Tasks that are due at the same time are equal.
 */
function checkClaim(
  claimed: readonly LeasedTask[],
  rows: readonly Row[],
  process: Process,
  free: Places,
): void {
  const possibleTurns: Record<string, number[]> = { quick: [], slow: [] };
  const takenTurns: Record<string, number[]> = { quick: [], slow: [] };
  for (const integrationId of integrations) {
    const of = { integrationId, kind: free.kind };
    const turns = process.turns.filter(isOf(of)).length;
    const eligible = eligibleOf(rows, process, of);
    const offered = eligible.slice(0, Math.max(0, free.perIntegration - turns));
    for (const [name, isSlow] of [
      ['quick', false],
      ['slow', true],
    ] as const) {
      const taken = claimed.filter(isOf(of)).filter((task) => task.isSlow === isSlow);
      const dueAts = taken.map((task) => eligible.find((each) => idOf(each) === idOf(task))?.dueAt);
      const longest = offered.filter((each) => each.isSlow === isSlow).slice(0, taken.length);
      assert.deepEqual(
        numbers(dueAts.map((dueAt) => dueAt ?? NaN)),
        longest.map(({ dueAt }) => dueAt),
        'a task was taken that is not due, has a lease, exceeds the share or is not due longest',
      );
      const places = offered.flatMap((each, at) => (each.isSlow === isSlow ? [turns + at + 1] : []));
      possibleTurns[name]!.push(...places);
      takenTurns[name]!.push(...places.slice(0, taken.length));
    }
  }
  for (const name of ['quick', 'slow'] as const)
    assert.deepEqual(
      numbers(takenTurns[name]!),
      numbers(possibleTurns[name]!).slice(0, Math.max(0, free[name])),
      'a place stayed free, or an integration with more turns came first',
    );
}

type Step =
  | { do: 'request'; at: number; kind: number; key: number; inMs: number; restart: boolean }
  | { do: 'claim'; by: number }
  | { do: 'claim-together' }
  | { do: 'end'; by: number; turn: number; how: 'done' | 'again' | 'failed' }
  | { do: 'slow'; by: number; turn: number }
  | { do: 'die'; by: number }
  | { do: 'wait' };

const index = fc.nat({ max: 7 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('request' as const),
      at: index,
      kind: index,
      key: fc.nat({ max: 5 }),
      inMs: fc.constantFrom(0, 0, 0, 15_000, 90_000),
      restart: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('claim' as const), by: index }) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: 'claim-together' }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      by: index,
      turn: index,
      how: fc.constantFrom('done' as const, 'again' as const, 'failed' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('slow' as const), by: index, turn: index }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('die' as const), by: index }) },
  { weight: 2, arbitrary: fc.constant<Step>({ do: 'wait' }) },
);

const places = (kind: string): fc.Arbitrary<Places> =>
  fc.record({
    kind: fc.constant(kind),
    quick: fc.integer({ min: 1, max: 3 }),
    slow: fc.integer({ min: 1, max: 3 }),
    perIntegration: fc.integer({ min: 1, max: 3 }),
  });

class Model {
  readonly processes: Process[] = Array.from({ length: 3 }, () => ({ turns: [], slow: [] }));
  /** Requested, and without a turn that began since. */
  readonly owed = new Set<string>();
  readonly kinds: readonly Places[];

  constructor(kinds: readonly Places[]) {
    this.kinds = kinds;
  }

  async run(each: Step): Promise<void> {
    if (each.do === 'request') return this.request(each);
    if (each.do === 'wait') return this.wait(stepMs);
    if (each.do === 'claim-together') return this.claimTogether();
    const process = this.processes[each.by % this.processes.length]!;
    if (each.do === 'claim') return this.claim(process);
    if (each.do === 'die') return void Object.assign(process, { turns: [], slow: [] });
    const turn = process.turns[each.turn % process.turns.length];
    if (turn === undefined) return;
    if (each.do === 'slow') return void process.slow.push(turn);
    await this.end(process, turn, each.how);
  }

  async request({ at, kind, key, inMs, restart }: Extract<Step, { do: 'request' }>): Promise<void> {
    const of = {
      integrationId: integrations[at % integrations.length]!,
      kind: this.kinds[kind % this.kinds.length]!.kind,
    };
    await inScope(of, (tx) => upsertTasks(tx, of, [String(key)], restart ? 'restart' : 'scheduled', inMs));
    this.owed.add(idOf({ ...of, key: String(key) }));
  }

  async claim(process: Process): Promise<void> {
    const rows = await readRows<Row & Record<string, unknown>>(database, 'tasks');
    const free = freeAt(process, this.kinds);
    const claimed = await claimFor(process, free);
    for (const each of free) checkClaim(claimed, rows, process, each);
    this.begin(process, claimed);
  }

  async claimTogether(): Promise<void> {
    const claims = await Promise.all(
      this.processes.map((process) => claimFor(process, freeAt(process, this.kinds))),
    );
    for (const [at, claimed] of claims.entries()) this.begin(this.processes[at]!, claimed);
  }

  begin(process: Process, claimed: readonly LeasedTask[]): void {
    for (const task of claimed) {
      const running = this.processes.flatMap(({ turns }) => turns.map(idOf));
      assert.equal(running.includes(idOf(task)), false, 'a task has two turns at once');
      process.turns.push(task);
      this.owed.delete(idOf(task));
    }
    for (const { kind, quick, slow, perIntegration } of this.kinds) {
      const own = process.turns.filter((turn) => turn.kind === kind);
      const slowTurns = own.filter(({ isSlow }) => isSlow).length;
      assert.ok(own.length - slowTurns <= quick && slowTurns <= slow, 'there are more turns than places');
      for (const integrationId of integrations)
        assert.ok(own.filter(isOf({ integrationId, kind })).length <= perIntegration, 'a share is exceeded');
    }
  }

  async end(process: Process, turn: LeasedTask, how: 'done' | 'again' | 'failed'): Promise<void> {
    process.turns.splice(process.turns.indexOf(turn), 1);
    await inScope(turn, (tx) =>
      how === 'done'
        ? finishTask(tx, turn)
        : rescheduleTask(tx, turn, 40_000, how === 'failed' ? 'It failed.' : null),
    );
  }

  async endAll(process: Process): Promise<void> {
    for (let [turn] = process.turns; turn !== undefined; [turn] = process.turns)
      await this.end(process, turn, 'done');
  }

  /** Processes that live renew their leases meanwhile. */
  async wait(ms: number): Promise<void> {
    if ((await countRows(database, 'tasks')) === 0) return;
    for (const column of ['tasks.due_at', 'tasks.leased_until'] as const)
      await ageRows(database, column, `${ms} milliseconds`);
    const turns = this.processes.flatMap((process) => process.turns);
    if (turns.length > 0) await database.worker.withScope('service', (tx) => renewTasks(tx, turns, leaseMs));
  }

  /** Ends everything. With one turn at a time per process at least one task ends in each round. */
  async drain(): Promise<void> {
    const most = (await countRows(database, 'tasks')) + this.owed.size + 1;
    for (const process of this.processes) await this.endAll(process);
    // Leases of processes that died end.
    for (let waited = 0; waited < 6; waited += 1) await this.wait(stepMs);
    for (let round = 0; round < most; round += 1)
      for (const process of this.processes) {
        await this.claim(process);
        await this.endAll(process);
      }
  }
}

test('claims of several processes keep shares and places, run no task twice and lose no request', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(places('one'), places('two')),
      fc.array(step, { minLength: 25, maxLength: 50 }),
      async (kinds, steps) => {
        await deleteRows(database, 'tasks');
        const model = new Model(kinds);
        for (const each of steps) await model.run(each);
        await model.drain();
        assert.deepEqual([...model.owed], [], 'a request was lost, or a task starved');
        assert.equal(await countRows(database, 'tasks'), 0);
      },
    ),
    { numRuns: 40 },
  );
});

test('a stranger gets a turn although others request theirs again and again', async () => {
  await fc.assert(
    fc.asyncProperty(places('busy'), fc.integer({ min: 1, max: 6 }), async (kind, tasksOfEach) => {
      await deleteRows(database, 'tasks');
      const model = new Model([kind]);
      const [stranger, ...others] = integrations;
      const keys = Array.from({ length: tasksOfEach }, (_, key) => String(key));
      const requestAll = async (): Promise<void> => {
        for (const integrationId of others) {
          const of = { integrationId, kind: kind.kind };
          await inScope(of, (tx) => upsertTasks(tx, of, keys, 'restart', 0));
        }
      };
      await requestAll();
      const process = model.processes[0]!;
      await model.claim(process);
      const mine = { integrationId: stranger!, kind: kind.kind };
      await inScope(mine, (tx) => upsertTasks(tx, mine, ['0'], 'restart', 0));
      // One turn ends at a time, so the stranger competes for each place that becomes free. It has the fewest turns, so it waits
      // for chance only while others have none either.
      for (let round = 0; !process.turns.some(isOf(mine)); round += 1) {
        assert.ok(round < 300, 'the stranger waits for ever');
        await model.end(process, process.turns[0]!, 'done');
        await requestAll();
        await model.claim(process);
      }
    }),
    { numRuns: 10 },
  );
});
