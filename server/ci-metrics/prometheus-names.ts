import type { MetricInfo } from './semantic-names.ts';

/** Units in the words of Prometheus. Units in braces are annotations and disappear. */
const unitWords: Record<string, string> = { s: 'seconds' };

export function unitOf({ unit }: Pick<MetricInfo, 'unit'>): string | undefined {
  return unitWords[unit];
}

/**
 * The name of a metric's family in OpenMetrics
 * (https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/): characters other than letters, digits
 * and underscores become underscores, and the unit follows. Samples of a counter also end in `_total`.
 */
export function prometheusName(info: Pick<MetricInfo, 'name' | 'unit'>): string {
  const unit = unitOf(info);
  return unit === undefined ? labelName(info.name) : `${labelName(info.name)}_${unit}`;
}

export function labelName(attribute: string): string {
  return attribute.replaceAll(/\W+/g, '_');
}
