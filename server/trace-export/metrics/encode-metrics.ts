import type { ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer';
import { bucketBounds } from '#server/ci-metrics/buckets.ts';
import type { Attributes, HistogramValue, MetricFamily } from '#server/ci-metrics/read-ci-metrics.ts';
import { attributeNames } from '#server/ci-metrics/semantic-names.ts';
import { instrumentationScope, schemaUrl, timeOf } from '../traces/span.ts';
import type { FoundMetrics } from './read-metrics.ts';

type ResourceMetrics = Parameters<typeof ProtobufMetricsSerializer.serializeRequest>[0];
type MetricData = ResourceMetrics['scopeMetrics'][number]['metrics'][number];

/** Numbers of the OpenTelemetry SDK. */
const pointTypes = { histogram: 0, sum: 3 } as const;
const valueTypes = { integer: 0, double: 1 } as const;
const cumulative = 1;

/** The body of an OTLP request with the metrics of an integration. The resource names the integration, so that several share a target. */
export async function encodeMetrics(
  { integrationId, since, families }: FoundMetrics,
  now: number,
): Promise<Buffer> {
  // As for traces, the first request loads the library.
  const { ProtobufMetricsSerializer } = await import('@opentelemetry/otlp-transformer');
  const attributes = { 'service.name': 'forgewatch', 'service.instance.id': integrationId };
  const times = { startTime: timeOf(since.getTime()), endTime: timeOf(Math.max(now, since.getTime())) };
  const body = ProtobufMetricsSerializer.serializeRequest({
    resource: { attributes, schemaUrl } as unknown as ResourceMetrics['resource'],
    scopeMetrics: [{ scope: instrumentationScope, metrics: families.map((each) => metricOf(each, times)) }],
  });
  if (body === undefined) throw new Error('metrics could not be serialized');
  return Buffer.from(body.buffer, body.byteOffset, body.length);
}

type Times = Pick<MetricData['dataPoints'][number], 'startTime' | 'endTime'>;

function metricOf(
  { info: { kind, name, unit, description }, points }: MetricFamily,
  times: Times,
): MetricData {
  const pointOf = <Value>(own: Attributes, value: Value) => ({ ...times, attributes: typed(own), value });
  const descriptor = { name, unit, description };
  if (kind === 'histogram')
    return {
      descriptor: { ...descriptor, valueType: valueTypes.double },
      aggregationTemporality: cumulative,
      dataPointType: pointTypes.histogram,
      dataPoints: points.flatMap(({ attributes, value }) =>
        typeof value === 'number' ? [] : pointOf(attributes, histogramOf(value)),
      ),
    };
  // What is active now goes up and down: in the conventions an UpDownCounter, hence a sum too.
  return {
    descriptor: { ...descriptor, valueType: valueTypes.integer },
    aggregationTemporality: cumulative,
    dataPointType: pointTypes.sum,
    isMonotonic: kind === 'counter',
    dataPoints: points.flatMap(({ attributes, value }) =>
      typeof value === 'number' ? pointOf(attributes, value) : [],
    ),
  };
}

function histogramOf({ buckets, sumSeconds }: HistogramValue) {
  const count = buckets.reduce((sum, each) => sum + each, 0);
  return { buckets: { boundaries: [...bucketBounds], counts: [...buckets] }, count, sum: sumSeconds };
}

/** In OpenTelemetry the mark of the series that adds up others is a boolean. */
function typed(attributes: Attributes): Record<string, string | boolean> {
  return attributes[attributeNames.overflow] === undefined
    ? attributes
    : { ...attributes, [attributeNames.overflow]: true };
}
