/**
 * Makes a text storable in Postgres: no NUL, no lone surrogate, at most `maxLength` UTF-16 code units. Null for other types and
 * for an empty string, which forges send for "none".
 */
export function storableText(value: unknown, maxLength: number): string | null {
  if (typeof value !== 'string' || value === '') return null;
  const short = value.length > maxLength ? truncate(value, maxLength) : value;
  const wellFormed = short.isWellFormed() ? short : short.toWellFormed();
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', '\uFFFD') : wellFormed;
}

function truncate(value: string, maxLength: number): string {
  const last = value.charCodeAt(maxLength - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return value.slice(0, splitsPair ? maxLength - 1 : maxLength);
}
