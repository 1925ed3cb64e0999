const hourMs = 3_600_000;
const morning = 9;

/** How long an incident can be snoozed from now on, in local time. */
export function snoozeChoices(now: Date): { label: string; until: Date }[] {
  return [
    { label: 'For 1 hour', until: new Date(now.getTime() + hourMs) },
    { label: 'For 4 hours', until: new Date(now.getTime() + 4 * hourMs) },
    { label: 'Until tomorrow morning', until: morningAfter(now, 1) },
    { label: 'For a week', until: morningAfter(now, 7) },
  ];
}

function morningAfter(now: Date, days: number): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, morning);
}
