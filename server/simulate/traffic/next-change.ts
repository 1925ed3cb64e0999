import type { PullRequestState } from '../payload/pull-request.ts';
import type { World } from './world.ts';

/**
 * When the next change of a pull request happens: at least a second after the last one, so that `updated_at` orders
 * them, unless the mix wants ties.
 */
export function nextChange(
  world: World,
  { updatedAt }: PullRequestState,
  minSeconds: number,
  maxSeconds: number,
): number {
  if (world.random.chance(world.mix.sameSecond)) return updatedAt + 5;
  return updatedAt + Math.max(1000, world.elapse(minSeconds, maxSeconds));
}
