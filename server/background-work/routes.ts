import { BackgroundTaskPage, RetryTasksBody, TaskQuery, TasksRetried } from '#contract/integrations/tasks.ts';
import type { Database } from '#platform/database/database.ts';
import { route, type Route } from '#server/route.ts';
import { dropTask, readTasks, retryTasks, type PrepareRetry } from './manage-tasks.ts';

const base = '/api/integrations/:integrationId/tasks';

export function taskRoutes(deps: { db: Database; prepareRetry: PrepareRetry }): Route[] {
  return [
    route('GET', base, {
      access: { role: 'admin' },
      summary: 'List background tasks: those that fail or wait longest first',
      query: TaskQuery,
      answer: { schema: BackgroundTaskPage },
      handle: ({ params: { integrationId }, query }) => readTasks(deps, integrationId, query),
    }),
    route('POST', `${base}/retry`, {
      access: { role: 'admin' },
      summary: 'Run the given background tasks at once, or all that fail; running ones are left out',
      body: RetryTasksBody,
      answer: { schema: TasksRetried },
      handle: async ({ body, actor }) => ({ retried: await retryTasks(deps, actor, body.taskIds) }),
    }),
    route('DELETE', `${base}/:taskId`, {
      access: { role: 'admin' },
      summary: 'Drop a background task that new work of its kind requests again',
      errors: ['task_running', 'task_not_droppable'],
      answer: { status: 204 },
      handle: ({ params: { taskId }, actor }) => dropTask(deps, actor, taskId),
    }),
  ];
}
