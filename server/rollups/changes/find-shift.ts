/** Runs of one step in time: an hour, a day or a single run. */
export interface Step {
  /** How many of the runs have what increased: slow, failed, recovered. */
  hits: number;
  total: number;
}

/**
 * The index of the first step after the moment at which the share of hits rose: the one that best divides the runs into two
 * levels, which means the smallest sum of squared distances to the share of the own side. Each side has at least `minimum` runs.
 * Undefined when the share rises at no such moment. Linear in the number of steps.
 */
export function findShift(steps: readonly Step[], minimum: number): number | undefined {
  const all = addSteps(steps);
  const left = { hits: 0, total: 0 };
  let best: number | undefined;
  let bestGain = 0;
  for (const [index, step] of steps.entries()) {
    const right = { hits: all.hits - left.hits, total: all.total - left.total };
    // A step without runs cannot be the first of a level.
    if (step.total > 0 && left.total >= minimum && right.total >= minimum) {
      const gain = gainOf(left, right);
      if (gain > bestGain) [best, bestGain] = [index, gain];
    }
    left.hits += step.hits;
    left.total += step.total;
  }
  return best;
}

export function addSteps(steps: readonly Step[]): Step {
  return {
    hits: steps.reduce((sum, { hits }) => sum + hits, 0),
    total: steps.reduce((sum, { total }) => sum + total, 0),
  };
}

/** What dividing saves of the squared distances, times the number of all runs. 0 when the share falls. */
function gainOf(left: Step, right: Step): number {
  if (left.total === 0 || right.total === 0) return 0;
  const rise = right.hits / right.total - left.hits / left.total;
  return rise <= 0 ? 0 : rise * rise * left.total * right.total;
}
