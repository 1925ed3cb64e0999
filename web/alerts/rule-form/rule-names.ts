import type { RuleConclusion } from '#contract/runs/conclusions.ts';
import type { DigestDay, GroupChoice, NotifyMode, RuleEvent, RuleWatch } from '#contract/alerts/alerts.ts';

/** What the choices of a rule are called. */

export const watchNames: Record<RuleWatch, string> = {
  failure: 'Failures',
  did_not_run: 'A workflow that did not run',
  queued_too_long: 'Jobs that wait for a runner too long',
  got_slower: 'A workflow or job that got slower',
  test_broken: 'A test that broke on the default branch',
  test_flaky: 'A test that became flaky',
  weekly_digest: 'Weekly digest',
};

export const dayNames: Record<DigestDay, string> = {
  monday: 'Monday',
  tuesday: 'Tuesday',
  wednesday: 'Wednesday',
  thursday: 'Thursday',
  friday: 'Friday',
  saturday: 'Saturday',
  sunday: 'Sunday',
};

export const hourText = (hour: number | string): string => `${String(hour).padStart(2, '0')}:00`;

export const eventNames: Record<RuleEvent, string> = { run: 'Runs', job: 'Jobs' };

export const conclusionNames: Record<RuleConclusion, string> = {
  failure: 'Failed',
  timed_out: 'Timed out',
  startup_failure: 'Failed to start',
  action_required: 'Needs action',
  cancelled: 'Cancelled',
  superseded: 'Superseded by a newer run',
  stale: 'Stale',
};

export const notifyNames: Record<NotifyMode, string> = {
  incident: 'Once per incident',
  every_failure: 'On every failure',
};

export const groupNames: Record<GroupChoice, string> = {
  all: 'All failures',
  unmarked: 'All but known flaky and ignored ones',
  new_on_default_branch: 'Only new ones on the default branch',
};
