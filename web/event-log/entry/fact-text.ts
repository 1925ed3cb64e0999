import { exactTime } from '../../ui/time/exact-time.ts';

/** `previousRole` becomes "Previous role". */
export function factName(name: string): string {
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const isoTime = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** Lists are joined, times are local, and everything else is JSON. */
export function factText(value: unknown): string {
  if (Array.isArray(value)) return value.map(factText).join(', ');
  if (typeof value !== 'string') return JSON.stringify(value);
  return isoTime.test(value) && !Number.isNaN(Date.parse(value)) ? exactTime(value) : value;
}
