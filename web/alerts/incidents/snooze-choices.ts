const hourMs = 3_600_000;
const morning = 9;

/** How long an incident can be snoozed. `until` is in local time. */
export const snoozeChoices: readonly { label: string; until: (now: Date) => Date }[] = [
  { label: 'For 1 hour', until: (now) => new Date(now.getTime() + hourMs) },
  { label: 'For 4 hours', until: (now) => new Date(now.getTime() + 4 * hourMs) },
  { label: 'Until tomorrow morning', until: (now) => morningAfter(now, 1) },
  { label: 'For a week', until: (now) => morningAfter(now, 7) },
];

function morningAfter(now: Date, days: number): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, morning);
}
