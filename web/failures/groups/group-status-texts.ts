import type { GroupStatus } from '#contract/failures/failures.ts';

export const statusLabels: Record<GroupStatus, string> = {
  open: 'Open',
  acknowledged: 'Acknowledged',
  flaky: 'Known flaky',
  ignored: 'Ignored',
};
