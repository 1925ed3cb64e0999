import * as fc from 'fast-check';
import type { WebhookExample } from './webhook-examples.ts';

/** What nobody should send; as JSON, for some of it only JSON can say. */
const poisons = [
  'null',
  'true',
  '0',
  '-1',
  '0.5',
  '1e400',
  '-1e400',
  '1152921504606846976',
  '9007199254740993',
  '""',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00x\\ud800"',
  '"9999-99-99T99:99:99Z"',
  '"0001-01-01T00:00:00Z"',
  '"9999-12-31T23:59:59Z"',
  '"2026-02-30T00:00:00Z"',
  '"__proto__"',
  '[]',
  '{}',
  '[null]',
  '{"__proto__":{"id":1}}',
  `${'['.repeat(2000)}${']'.repeat(2000)}`,
  `"${'x'.repeat(1 << 20)}"`,
  `"${'\\u0000'.repeat(5000)}"`,
  `"${'\u{1F600}'.repeat(70_000)}"`,
];

/** The poisons that reach a text column. */
const textPoisons = poisons.filter((poison) => poison.startsWith('"'));

type Path = (string | number)[];

/** Places nobody reads: links, and people beside the actors. */
const unread = /url|node_id|^_links|^(sender|organization|enterprise|installation)$/;

/** Every place of one example of each kind that may be read, with every poisonous text in it. */
export function textPoisoned(examples: readonly WebhookExample[]): WebhookExample[] {
  const kinds = Map.groupBy(examples, ({ eventType }) => eventType);
  return [...kinds.values()].flatMap((ofKind) => {
    const example = ofKind.at(-1)!;
    const places = pathsOf(example.payload, [], 4).filter(
      (path) => !path.some((name) => unread.test(String(name))),
    );
    return places.flatMap((path) =>
      textPoisons.map((poison) => ({
        ...example,
        payload: replaced(example.payload, path, JSON.parse(poison)) as Record<string, unknown>,
      })),
    );
  });
}

/** Examples in which one to three places, down to the fields of list entries, hold one of `poisons`. */
export function poisoned(examples: readonly WebhookExample[]): fc.Arbitrary<WebhookExample> {
  return fc.constantFrom(...examples).chain((example) => {
    const places = pathsOf(example.payload, [], 4);
    return fc
      .array(fc.tuple(fc.constantFrom(...places), fc.constantFrom(...poisons)), {
        minLength: 1,
        maxLength: 3,
      })
      .map((changes) => ({
        ...example,
        payload: changes.reduce<unknown>(
          (payload, [path, poison]) => replaced(payload, path, JSON.parse(poison)),
          example.payload,
        ) as Record<string, unknown>,
      }));
  });
}

function pathsOf(value: unknown, path: Path, depth: number): Path[] {
  if (typeof value !== 'object' || value === null || depth === 0) return [path];
  const inner = Array.isArray(value)
    ? value.slice(0, 2).flatMap((entry, index) => pathsOf(entry, [...path, index], depth - 1))
    : Object.entries(value).flatMap(([name, entry]) => pathsOf(entry, [...path, name], depth - 1));
  return path.length === 0 ? inner : [path, ...inner];
}

function replaced(value: unknown, [first, ...rest]: Path, replacement: unknown): unknown {
  if (first === undefined) return replacement;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value))
    return value.map((entry, index) => (index === first ? replaced(entry, rest, replacement) : entry));
  return { ...value, [first]: replaced((value as Record<string, unknown>)[first], rest, replacement) };
}
