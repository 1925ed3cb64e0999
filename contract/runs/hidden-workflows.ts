import { Type, type Static } from 'typebox';
import { nullable, pageOf, strictObject, Time, Uuid } from '../base/schema.ts';

/** Of one integration. */
export const mostHiddenWorkflows = 500;

/** A workflow whose state is of no interest any more, on all branches. Its runs stay in lists and figures. */
export const HiddenWorkflow = Type.Object({
  hiddenWorkflowId: Uuid,
  repository: Type.String(),
  /** Empty for runs without the name of a workflow. */
  workflow: Type.String(),
  hiddenAt: Time,
  /** Null when the person is gone. */
  hiddenBy: nullable(Type.Object({ userId: Uuid, name: nullable(Type.String()) })),
});
export type HiddenWorkflow = Static<typeof HiddenWorkflow>;

export const HiddenWorkflowPage = pageOf(HiddenWorkflow);

export const HideWorkflowBody = strictObject({
  repository: Type.String({ minLength: 1, maxLength: 255 }),
  workflow: Type.String({ maxLength: 255 }),
});
export type HideWorkflowBody = Static<typeof HideWorkflowBody>;
