import { byteSize } from '#contract/base/byte-size.ts';

/** Numbers and dates in the reader's locale and time zone. Nothing else in the web app formats them. */

const whole = /* @__PURE__ */ new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const tenths = /* @__PURE__ */ new Intl.NumberFormat(undefined, {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});

export function formatNumber(value: number): string {
  return whole.format(value);
}

/** With one decimal: `1.5`. */
export function formatTenths(value: number): string {
  return tenths.format(value);
}

/** Bytes as `1.5 GiB`. */
export function formatBytes(bytes: number): string {
  return byteSize(bytes, (size) => (Number.isInteger(size) ? whole : tenths).format(size));
}

/** A number with its noun: `1 run`, `1,234 runs`. */
export function formatCount(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatNumber(count)} ${count === 1 ? noun : plural}`;
}

/** A share of 0 to 1 as `66.7 %`; a dash when there is none. */
export function formatPercent(share: number | null): string {
  return share === null ? '–' : `${tenths.format(share * 100)} %`;
}

/** An amount of money. Below 1 it has up to six decimals, because minutes cost fractions of a cent. */
export function formatMoney(amount: number, currency: string): string {
  const digits = amount < 1 ? { maximumFractionDigits: 6 } : {};
  return new Intl.NumberFormat(undefined, { style: 'currency', currency, ...digits }).format(amount);
}

/** The browser makes the format when it is first used: on a phone each takes milliseconds of the start. */
export function dateFormat(options: Intl.DateTimeFormatOptions) {
  let made: Intl.DateTimeFormat | undefined;
  const format = (): Intl.DateTimeFormat => (made ??= new Intl.DateTimeFormat(undefined, options));
  return {
    format: (time?: number | Date) => format().format(time),
    formatRange: (from: Date, to: Date) => format().formatRange(from, to),
  };
}

/** The reader's time zone, for example `Europe/Berlin`. */
export function timeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** All that the browser knows, UTC first. */
export const timeZones = (): string[] => [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])];

let collator: Intl.Collator | undefined;

/** For sorting: without regard to case, and with the numbers in texts by their size. */
export function compareTexts(one: string, other: string): number {
  collator ??= new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
  return collator.compare(one, other);
}
