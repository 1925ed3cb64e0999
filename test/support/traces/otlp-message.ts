import generated from 'otlp-decoder/build/src/generated/root.js';

interface Value {
  stringValue?: string;
  intValue?: string;
  boolValue?: boolean;
  arrayValue?: { values?: Value[] };
}

/** An attribute. */
export interface Pair {
  key: string;
  value: Value;
}

interface Message {
  decode(body: Uint8Array): unknown;
  toObject(message: unknown, options: object): unknown;
}

/**
 * The classes that protobufjs made from the official proto files, which version 0.203 of the library contained. The product serializes with a later
 * version, which shares no code with them.
 */
const { opentelemetry } = generated as unknown as {
  opentelemetry: { proto: { collector: Record<string, { v1: Record<string, Message> }> } };
};

/** Reads the body of requests of one kind. */
export function otlpMessage(signal: string, name: string): (body: Uint8Array) => unknown {
  const message = opentelemetry.proto.collector[signal]?.v1[name];
  if (message === undefined) throw new Error(`the proto files have no ${name}`);
  return (body) => message.toObject(message.decode(body), { longs: String, defaults: true, oneofs: false });
}

export function valuesOf(pairs: readonly Pair[]): Record<string, unknown> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, valueOf(value)]));
}

function valueOf({ stringValue, intValue, boolValue, arrayValue }: Value): unknown {
  if (arrayValue !== undefined) return (arrayValue.values ?? []).map(valueOf);
  return stringValue ?? boolValue ?? Number(intValue);
}
