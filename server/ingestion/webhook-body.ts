/**
 * The JSON text of a webhook in either content type that a forge supports: the body itself, or the `payload` field of a form.
 * Undefined when the form has no such field, or several.
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

/** The field in its encoded form. Decoding all fields of a few MiB could create millions of strings. */
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
