import { queuedEvents, type QueuedEvent } from '#contract/integrations/integrations.ts';
import type { VersionedRow } from '#server/runs/objects/columns.ts';
import { storedAttempts, type AttemptRow } from '#server/runs/objects/run.ts';
import type { StoredObject } from '#server/runs/objects/stored-object.ts';
import { eventTypeOf, type RowOfType } from './event-types.ts';

/** Each event type has one kind of object. The row of a run contains its newest attempt; `attempts` are the earlier ones. */
export type ObjectName = QueuedEvent | 'attempts';
export type RowOfObject<Name extends ObjectName> = Name extends QueuedEvent ? RowOfType<Name> : AttemptRow;

export type Rows = { [Name in ObjectName]: RowOfObject<Name>[] };

const names: readonly ObjectName[] = [...queuedEvents, 'attempts'];

/** Calls `each` for every kind of object. */
export function mapObjects<Result>(
  each: (object: StoredObject<VersionedRow>, name: ObjectName) => Result,
): Record<ObjectName, Result> {
  const entries = names.map((name): [ObjectName, Result] => {
    const object = name === 'attempts' ? storedAttempts : eventTypeOf(name).object;
    return [name, each(object as unknown as StoredObject<VersionedRow>, name)];
  });
  return Object.fromEntries(entries) as Record<ObjectName, Result>;
}
