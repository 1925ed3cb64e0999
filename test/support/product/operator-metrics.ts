/** METRICS_TOKEN of every product that a test or a script starts. */
export const testMetricsToken = 'token of the tests';

/** The metrics of a product, as Prometheus reads them. */
export async function readMetrics(baseUrl: string): Promise<string> {
  const headers = { authorization: `Bearer ${testMetricsToken}` };
  const answer = await fetch(`${baseUrl}/metrics`, { headers });
  if (answer.status !== 200) throw new Error(`/metrics answered ${answer.status}`);
  return answer.text();
}
