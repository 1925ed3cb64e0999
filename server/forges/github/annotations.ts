import { fields } from '#platform/runtime/json-fields.ts';
import type { Annotation } from '#server/forges/port.ts';

/** Leaves out entries without path or line: one of them must not block the logs of other jobs. */
export function annotationsOf(list: unknown): Annotation[] {
  return Array.isArray(list) ? list.flatMap((each) => annotationOf(each) ?? []) : [];
}

function annotationOf(value: unknown): Annotation | undefined {
  const { annotation_level: level, title, message, path, start_line: line } = fields(value);
  if (typeof path !== 'string' || typeof line !== 'number') return undefined;
  return {
    level: level === 'failure' || level === 'warning' ? level : 'notice',
    title: typeof title === 'string' ? title : null,
    message: typeof message === 'string' ? message : '',
    path,
    line,
  };
}
