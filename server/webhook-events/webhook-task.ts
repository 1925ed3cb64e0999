import type { TaskKindName } from '#contract/integrations/tasks.ts';

/** The kind of the tasks that send the webhooks that wait. Their key is the id of the receiver. */
export const webhookTask = 'outgoing-webhooks' satisfies TaskKindName;
