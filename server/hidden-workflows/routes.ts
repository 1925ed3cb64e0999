import { HiddenWorkflow, HiddenWorkflowPage, HideWorkflowBody } from '#contract/runs/hidden-workflows.ts';
import { route, type Route } from '#server/route.ts';
import { hideWorkflow, readHidden, showWorkflow, type HideDeps } from './hide-workflow.ts';

const base = '/api/integrations/:integrationId/hidden-workflows';

export function hiddenWorkflowRoutes(deps: HideDeps): Route[] {
  return [
    route('GET', base, {
      access: { role: 'viewer' },
      summary: 'List the hidden workflows, newest first',
      answer: { schema: HiddenWorkflowPage },
      handle: async ({ params: { integrationId } }) => ({
        items: await deps.db.withScope({ integrationId }, (tx) => readHidden(tx, integrationId)),
        nextCursor: null,
      }),
    }),
    route('POST', base, {
      access: { role: 'admin' },
      summary:
        'Hide a workflow: it leaves the wallboard, CCTray, badges and the overview, its incidents close, and rules ignore it',
      body: HideWorkflowBody,
      errors: ['not_found', 'conflict'],
      answer: { status: 201, schema: HiddenWorkflow },
      handle: ({ actor, body }) => hideWorkflow(deps, actor, body),
    }),
    route('DELETE', `${base}/:hiddenWorkflowId`, {
      access: { role: 'admin' },
      summary: 'Show a hidden workflow again',
      answer: { status: 204 },
      handle: ({ actor, params: { hiddenWorkflowId } }) => showWorkflow(deps, actor, hiddenWorkflowId),
    }),
  ];
}
