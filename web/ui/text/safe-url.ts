/** An address that came with a payload, when it is safe to link to: a script address is not. */
export function safeUrl(url: string | null | undefined): string | undefined {
  return url && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) ? url : undefined;
}
