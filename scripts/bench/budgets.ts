import { p1, p2, p3 } from './p1-p3-ingress.ts';
import type { Budget } from './types.ts';

/** In the order of a full run: later ones use the rate that P1 reached. */
export const budgets: readonly Budget[] = [p1, p2, p3];
