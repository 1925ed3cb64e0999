/**
 * Text that Postgres stores: no NUL, no lone surrogate, at most `maxLength` UTF-16 code units. Null for an empty string, with
 * which forges mean "none", and for any other type.
 */
export function storableText(value: unknown, maxLength: number): string | null {
  if (typeof value !== 'string' || value === '') return null;
  const short = value.length > maxLength ? cut(value, maxLength) : value;
  const wellFormed = short.isWellFormed() ? short : short.toWellFormed();
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', '\uFFFD') : wellFormed;
}

function cut(value: string, maxLength: number): string {
  const last = value.charCodeAt(maxLength - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return value.slice(0, splitsPair ? maxLength - 1 : maxLength);
}
