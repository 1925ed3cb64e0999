import type { TraceExportBody } from '#contract/integrations/trace-export.ts';
import { invalidField } from '#platform/runtime/app-error.ts';

/** The base URL without `/v1/traces` or `/v1/metrics`. @throws AppError `invalid_request` */
export function checkUrl(entered: string, refusal: (url: string) => string | undefined): string {
  const problem = refusal(entered);
  if (problem !== undefined) throw invalidField('url', problem);
  const { origin, pathname, search, hash } = new URL(entered);
  if (search !== '' || hash !== '')
    throw invalidField('url', 'must not contain “?” or “#”; enter credentials as headers');
  let path = pathname;
  while (path.endsWith('/')) path = path.slice(0, -1);
  const signal = ['/v1/traces', '/v1/metrics'].find((end) => path.endsWith(end)) ?? '';
  return origin + path.slice(0, path.length - signal.length);
}

/** Those that HTTP or this program sets. */
const reserved = new Set([
  'connection',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);

/** By their names in lower case. @throws AppError `invalid_request` */
export function checkHeaders(headers: NonNullable<TraceExportBody['headers']>): Record<string, string> {
  const checked: Record<string, string> = {};
  for (const [index, { name, value }] of headers.entries()) {
    const key = name.toLowerCase();
    const field = `headers.${index}.name`;
    if (reserved.has(key) || /^(content|proxy)-/.test(key))
      throw invalidField(field, `“${key}” is set by Forgewatch; remove it`);
    if (Object.hasOwn(checked, key)) throw invalidField(field, `“${key}” is entered twice`);
    checked[key] = value;
  }
  return checked;
}
