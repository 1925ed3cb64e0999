/**
 * The text of a webhook that should be JSON, from either media type a forge can be told to use: the body itself, or the
 * `payload` field of a form. Undefined when the form has none, or several.
 */
export function textOfBody(body: Buffer, isForm: boolean): Buffer | undefined {
  if (!isForm) return body;
  const field = findField(body);
  const value = field && new URLSearchParams(field.toString('utf8')).get('payload');
  return typeof value === 'string' ? Buffer.from(value) : undefined;
}

export function isForm(contentType: string | undefined): boolean {
  return contentType !== undefined && /^application\/x-www-form-urlencoded\b/i.test(contentType);
}

const start = Buffer.from('payload=');

/** The one field of that name, still encoded: to decode all fields would make millions of texts out of a few MiB. */
function findField(body: Buffer): Buffer | undefined {
  let found: Buffer | undefined;
  for (let at = body.indexOf(start); at >= 0; at = body.indexOf(start, at + start.length)) {
    if (at > 0 && body[at - 1] !== 0x26) continue;
    if (found !== undefined) return undefined;
    const end = body.indexOf(0x26, at);
    found = body.subarray(at, end < 0 ? body.length : end);
  }
  return found;
}
