/** Arrays in the binary form that Postgres sends and receives. Reading long ones as text would cost more than the statements with them. */

/** The number of dimensions, whether there are nulls, the type, and the length and first index of the dimension. */
const headLength = 20;
const types = { int4: 23, uuid: 2950 } as const;

function startArray(
  type: keyof typeof types,
  length: number,
  size: number,
): { bytes: Uint8Array; view: DataView } {
  const bytes = new Uint8Array(headLength + length * (4 + size));
  const view = new DataView(bytes.buffer);
  for (const [n, value] of [1, 0, types[type], length, 1].entries()) view.setInt32(n * 4, value);
  for (let at = headLength; at < bytes.length; at += 4 + size) view.setInt32(at, size);
  return { bytes, view };
}

/** A `uuid[]` of ids without dashes. */
export function uuidArray(ids: readonly string[]): Uint8Array {
  const { bytes } = startArray('uuid', ids.length, 16);
  const buffer = Buffer.from(bytes.buffer);
  for (const [n, id] of ids.entries()) buffer.write(id, headLength + n * 20 + 4, 'hex');
  return bytes;
}

/** Elements of a `uuid[]`. */
export function sliceOfUuids(array: Uint8Array, from: number, to: number): Uint8Array {
  const { bytes } = startArray('uuid', to - from, 16);
  bytes.set(array.subarray(headLength + from * 20, headLength + to * 20), headLength);
  return bytes;
}

export function intArray(values: Int32Array): Uint8Array {
  const { bytes, view } = startArray('int4', values.length, 4);
  for (const [n, value] of values.entries()) view.setInt32(headLength + n * 8 + 4, value);
  return bytes;
}
