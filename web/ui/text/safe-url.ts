/** Returns a URL from a payload if it is safe to link to; script URLs are not. */
export function safeUrl(url: string | null | undefined): string | undefined {
  return url && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) ? url : undefined;
}
