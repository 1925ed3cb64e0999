import { p1Go } from './budgets/ingress/p1-go.ts';
import { p1 } from './budgets/ingress/p1-ingress.ts';
import { p1Plain } from './budgets/ingress/p1-plain.ts';
import { p2 } from './budgets/ingress/p2-peer.ts';
import { p3 } from './budgets/ingress/p3-latency.ts';
import { p4 } from './budgets/pipeline/p4-pipeline.ts';
import { p5 } from './budgets/pipeline/p5-one-group.ts';
import { p6 } from './budgets/pipeline/p6-keeping-up.ts';
import { p7 } from './budgets/live/p7-live.ts';
import { p7Path } from './budgets/live/p7-path.ts';
import { p7Quiet } from './budgets/live/p7-quiet.ts';
import { p8 } from './budgets/live/p8-fan-out.ts';
import { p9 } from './budgets/live/p9-socket-memory.ts';
import { p10 } from './budgets/process/p10-session.ts';
import { p11 } from './budgets/history/p11-history.ts';
import { p13 } from './budgets/process/p13-start.ts';
import { p14 } from './budgets/process/p14-memory.ts';
import { p15 } from './budgets/process/p15-stalls.ts';
import { p16Groups } from './budgets/history/p16-groups.ts';
import { p16FullSpeed, p16Reasons } from './budgets/pipeline/p16-reasons.ts';
import { p17Traces } from './budgets/pipeline/p17-traces.ts';
import { p18 } from './budgets/pipeline/p18-test-reports.ts';
import { p19 } from './budgets/live/p19-fair-share.ts';
import { scale } from './budgets/scale/scale.ts';
import type { Budget } from './types.ts';

/** In the order of a full run. Later budgets use the rate that P1 measured. */
export const budgets: readonly Budget[] = [
  p1,
  p1Go,
  p1Plain,
  p2,
  p3,
  p4,
  p5,
  p6,
  p7,
  p7Quiet,
  p7Path,
  p8,
  p9,
  p10,
  p11,
  p13,
  p14,
  p15,
  p16Reasons,
  p16FullSpeed,
  p16Groups,
  p17Traces,
  p18,
  p19,
  scale,
];
