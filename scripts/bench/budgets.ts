import { p1, p2, p3 } from './p1-p3-ingress.ts';
import { p4, p5, p6 } from './p4-p6-pipeline.ts';
import { p7, p8, p9 } from './p7-p9-sockets.ts';
import { p13, p14 } from './p13-p14-process.ts';
import type { Budget } from './types.ts';

/** In the order of a full run: later ones use the rate that P1 reached. */
export const budgets: readonly Budget[] = [p1, p2, p3, p4, p5, p6, p7, p8, p9, p13, p14];
