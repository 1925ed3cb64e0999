import type { PullRequestState } from '../payload/pull-request.ts';
import type { World } from './world.ts';

/** The time of a pull request's next change: at least a second later, so that `updated_at` orders the changes, unless the mix has ties. */
export function nextChange(
  world: World,
  { updatedAt }: PullRequestState,
  minSeconds: number,
  maxSeconds: number,
): number {
  if (world.random.chance(world.mix.sameSecond)) return updatedAt + 5;
  return updatedAt + Math.max(1000, world.elapse(minSeconds, maxSeconds));
}
