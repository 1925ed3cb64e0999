import type { WorkflowJob, WorkflowRun } from '#contract/runs/runs.ts';
import type { Fields } from '#platform/runtime/json-fields.ts';
import type { StoredObject } from '#server/runs/objects/stored-object.ts';
import type { VersionedRow } from '#server/runs/objects/columns.ts';
import type { StaleRules } from '#server/runs/staleness.ts';
import type { Origin } from '../parsing/payload-fields.ts';

/** A stored type of webhook event. Parsing, merging, writing, outcomes and updates of its objects follow from it. */
export interface EventType<Row extends VersionedRow> {
  /** Stands for the type in `delivery_outcomes.codes`: 0 to 15. Never change or reuse a code. */
  code: number;
  object: StoredObject<Row>;
  /** The row that one event would leave alone. */
  parse(payload: Fields, origin: Origin): Row;
  /** The parts of the row's version. */
  staleRules: StaleRules;
  /** What open screens receive. They show runs and jobs only, so other types have no updates. */
  update?(row: Row): ObjectUpdate;
}

/** A run or job as every list and screen shows it. */
export type ObjectUpdate =
  | { type: 'workflow_run'; data: WorkflowRun }
  | { type: 'workflow_job'; data: WorkflowJob };

/** Infers the row from the object. */
export function eventType<Row extends VersionedRow>(type: EventType<Row>): EventType<Row> {
  return type;
}
