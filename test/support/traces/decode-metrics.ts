import { labelName, prometheusName } from '#server/ci-metrics/prometheus-names.ts';
import type { Sample } from '../formats/open-metrics.ts';
import { otlpMessage, valuesOf, type Pair } from './otlp-message.ts';

/** One metric as a receiver sees it, with the attributes of its resource. */
export interface ReceivedMetric {
  name: string;
  unit: string;
  kind: 'sum' | 'histogram';
  isMonotonic: boolean;
  points: ReceivedPoint[];
  resource: Record<string, unknown>;
}

export interface ReceivedPoint {
  attributes: Record<string, unknown>;
  startMs: number;
  /** Of a sum. */
  value: number;
  /** Of a histogram. */
  count: number;
  sum: number;
  bounds: number[];
  counts: number[];
}

const request = otlpMessage('metrics', 'ExportMetricsServiceRequest');

interface DecodedPoint {
  attributes: Pair[];
  startTimeUnixNano: string;
  asInt?: string;
  count?: string;
  sum?: number;
  explicitBounds?: number[];
  bucketCounts?: string[];
}

interface DecodedData {
  /** 2: cumulative. */
  aggregationTemporality: number;
  isMonotonic?: boolean;
  dataPoints: DecodedPoint[];
}

interface Decoded {
  resourceMetrics: {
    resource: { attributes: Pair[] };
    scopeMetrics: { metrics: { name: string; unit: string; sum?: DecodedData; histogram?: DecodedData }[] }[];
  }[];
}

/** The metrics of the body of an OTLP request, all of them cumulative. */
export function decodeMetrics(body: Uint8Array): ReceivedMetric[] {
  const { resourceMetrics } = request(body) as Decoded;
  return resourceMetrics.flatMap(({ resource, scopeMetrics }) =>
    scopeMetrics.flatMap(({ metrics }) =>
      metrics.map(({ name, unit, sum, histogram }): ReceivedMetric => {
        const data = sum ?? histogram;
        if (data?.aggregationTemporality !== 2) throw new Error(`${name} is not cumulative`);
        return {
          name,
          unit,
          kind: histogram ? 'histogram' : 'sum',
          isMonotonic: data.isMonotonic ?? false,
          points: data.dataPoints.map(received),
          resource: valuesOf(resource.attributes),
        };
      }),
    ),
  );
}

function received(point: DecodedPoint): ReceivedPoint {
  return {
    attributes: valuesOf(point.attributes),
    startMs: Number(BigInt(point.startTimeUnixNano) / 1_000_000n),
    value: Number(point.asInt),
    count: Number(point.count),
    sum: Number(point.sum),
    bounds: point.explicitBounds ?? [],
    counts: (point.bucketCounts ?? []).map(Number),
  };
}

/** The samples that Prometheus makes of a metric of OTLP. */
export function samplesOf({ name, unit, kind, isMonotonic, points }: ReceivedMetric): Sample[] {
  const family = prometheusName({ name, unit: unit as 's' });
  return points.flatMap(({ attributes, value, count, sum, bounds, counts }) => {
    const labels = Object.fromEntries(
      Object.entries(attributes).map(([key, text]) => [labelName(key), String(text)]),
    );
    if (kind === 'sum') return [{ name: isMonotonic ? `${family}_total` : family, labels, value }];
    let below = 0;
    return [
      ...counts.map((own, index) => ({
        name: `${family}_bucket`,
        labels: { ...labels, le: bounds[index]?.toFixed(1) ?? '+Inf' },
        value: (below += own),
      })),
      { name: `${family}_count`, labels, value: count },
      { name: `${family}_sum`, labels, value: sum },
    ];
  });
}
