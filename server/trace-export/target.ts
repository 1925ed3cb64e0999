import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import type { Target } from './sending/send-otlp.ts';
import type { ExportRow } from './settings-store.ts';

export function sealHeaders(sealer: Sealer, integrationId: string, headers: Record<string, string>): Buffer {
  return sealer.seal(Buffer.from(JSON.stringify(headers)), headersContext(integrationId));
}

/** @throws if the headers belong to another integration, or their key is not configured */
export function openTarget(
  sealer: Sealer,
  integrationId: string,
  { url, sealedHeaders }: Pick<ExportRow, 'url' | 'sealedHeaders'>,
): Target {
  const headers = sealer.open(sealedHeaders, headersContext(integrationId)).toString();
  return { url, headers: JSON.parse(headers) as Record<string, string> };
}

/** Binds sealed headers to their integration. */
export function headersContext(integrationId: string): string {
  return `trace_exports/${integrationId}/headers`;
}
