import { types } from 'pg';
import type { JobStep } from '#contract/monitoring.ts';
import { storedTimeMs } from '../runtime/times.ts';

/** Counts by histogram bucket. */
type Counts = ReadonlyMap<number, number>;

/** How one kind of column travels: null is null in both directions and never gets here. */
interface ColumnCodec {
  pgType: string;
  /** To a parameter; a buffer goes as Postgres's binary form. The value itself when left out. */
  encode?: (value: never) => unknown;
  /** From Postgres's text form. The text itself when left out. */
  decode?: (text: string) => unknown;
}

const textArrayOid = 1009;

const columnTypes = {
  uuid: { pgType: 'uuid' },
  text: { pgType: 'text' },
  bigint: { pgType: 'bigint', decode: Number },
  integer: { pgType: 'integer', decode: Number },
  boolean: { pgType: 'boolean', decode: (text) => text === 't' },
  bytea: { pgType: 'bytea', decode: (text) => Buffer.from(text.slice(2), 'hex') },
  timestamptz: { pgType: 'timestamptz', encode: encodeTime, decode: storedTimeMs },
  json: { pgType: 'json', encode: JSON.stringify, decode: JSON.parse },
  steps: { pgType: 'json', encode: encodeSteps, decode: decodeSteps },
  'text[]': { pgType: 'text[]', decode: types.getTypeParser(textArrayOid as never) },
  'bigint[]': { pgType: 'bigint[]', decode: decodeNumbers },
  histogram: { pgType: 'integer[]', encode: encodeHistogram },
} satisfies Record<string, ColumnCodec>;

export type ColumnType = keyof typeof columnTypes;

export function codecOf(type: ColumnType): ColumnCodec {
  return columnTypes[type];
}

const year2000Ms = 946_684_800_000;
const word = 2 ** 32;

/** Microseconds since 2000 in 8 bytes; writing and reading an ISO text costs many times more on both sides. */
function encodeTime(ms: number): Buffer {
  const micros = (ms - year2000Ms) * 1000;
  const high = Math.floor(micros / word);
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeInt32BE(high, 0);
  bytes.writeUInt32BE(micros - high * word, 4);
  return bytes;
}

function decodeNumbers(text: string): number[] {
  return text === '{}' ? [] : text.slice(1, -1).split(',').map(Number);
}

type StepCells = [number, string, string, string | null, string | null, string | null];

function encodeSteps(steps: JobStep[]): string {
  return JSON.stringify(
    steps.map(({ number, name, status, conclusion, startedAt, completedAt }): StepCells => [
      number,
      name,
      status,
      conclusion,
      startedAt,
      completedAt,
    ]),
  );
}

function decodeSteps(text: string): JobStep[] {
  if (text === '[]') return [];
  return (JSON.parse(text) as StepCells[]).map(
    ([number, name, status, conclusion, startedAt, completedAt]) => ({
      number,
      name,
      status,
      conclusion,
      startedAt,
      completedAt,
    }),
  );
}

/** An array whose indices are the buckets in use, such as `[37:39]={1,0,2}`. */
function encodeHistogram(counts: Counts): string {
  if (counts.size === 0) return '{}';
  const buckets = [...counts.keys()];
  const [first, last] = [Math.min(...buckets), Math.max(...buckets)];
  const all = Array.from({ length: last - first + 1 }, (_, index) => counts.get(first + index) ?? 0);
  return `[${first}:${last}]={${all.join(',')}}`;
}
