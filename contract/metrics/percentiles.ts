import { Type, type Static } from 'typebox';
import { nullable } from '../base/schema.ts';

/** Fewer values have no 90th percentile. */
export const fewestForP90 = 10;

/** By the nearest rank, of `count` values; null when there is none. */
export const Percentiles = Type.Object({
  count: Type.Integer(),
  p50: nullable(Type.Integer()),
  /** Null for fewer than 10 values. */
  p90: nullable(Type.Integer()),
});
export type Percentiles = Static<typeof Percentiles>;
