import { p1 } from './budgets/p1-ingress.ts';
import { p3 } from './budgets/p3-latency.ts';
import { p4 } from './budgets/p4-pipeline.ts';
import { p6 } from './budgets/p6-keeping-up.ts';
import { p7 } from './budgets/p7-live.ts';
import { p7Quiet } from './budgets/p7-quiet.ts';
import { p8 } from './budgets/p8-fan-out.ts';
import { p11 } from './budgets/p11-history.ts';
import { p13 } from './budgets/p13-start.ts';
import { p14 } from './budgets/p14-memory.ts';
import { p16Reasons } from './budgets/p16-reasons.ts';
import { p17Traces } from './budgets/p17-traces.ts';
import { p18 } from './budgets/p18-test-reports.ts';
import { p19 } from './budgets/p19-fair-share.ts';
import { scale } from './budgets/scale.ts';
import type { Budget } from './types.ts';

/** In the order of a full run. */
export const budgets: readonly Budget[] = [
  p1,
  p3,
  p4,
  p6,
  p7,
  p7Quiet,
  p8,
  p11,
  p13,
  p14,
  p16Reasons,
  p17Traces,
  p18,
  p19,
  scale,
];
