import { defaultGraceHours, maxGraceHours } from '#contract/integrations/integrations.ts';

/** How long a replaced secret stays valid, in hours. */
export const graceChoices = [
  { value: '0', label: 'Expires immediately (the secret is compromised)' },
  { value: '1', label: 'For 1 hour' },
  { value: String(defaultGraceHours), label: 'For 1 day' },
  { value: String(maxGraceHours), label: 'For 7 days' },
];
