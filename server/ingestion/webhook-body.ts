/**
 * The JSON text of a webhook, from either media type a forge can be told to use: the body itself, or the `payload`
 * field of a form. Undefined when there is no JSON in it. Checked by parsing once; the text travels on as received.
 */
export function readJsonText(body: Buffer, contentType: string | undefined): Buffer | undefined {
  const text = isForm(contentType) ? formPayload(body) : body;
  if (text === undefined) return undefined;
  try {
    // Read as Latin-1: JSON's grammar is ASCII, so the verdict is the same, at a third of the time.
    JSON.parse(text.toString('latin1'));
    return text;
  } catch {
    return undefined;
  }
}

export function isForm(contentType: string | undefined): boolean {
  return contentType !== undefined && /^application\/x-www-form-urlencoded\b/i.test(contentType);
}

function formPayload(body: Buffer): Buffer | undefined {
  const payloads = new URLSearchParams(body.toString('utf8')).getAll('payload');
  return payloads.length === 1 ? Buffer.from(payloads[0] as string) : undefined;
}
