import type { QueuedEvent } from '#contract/integrations/integrations.ts';

interface EventText {
  /** The name in GitHub's webhook form. */
  label: string;
  hint: string;
  /** The names in the forms of forges that report the event. */
  gitea?: string;
  forgejo?: string;
}

export const eventTexts: Record<QueuedEvent, EventText> = {
  workflow_run: {
    label: 'Workflow runs',
    hint: 'Runs with their results and durations. Most pages need them.',
    gitea: 'Workflow Run',
    // Forgejo reports only completed runs.
    forgejo: 'Action run: success, failure, recover',
  },
  workflow_job: {
    label: 'Workflow jobs',
    hint: 'Jobs, steps, queue times and runners of a run.',
    gitea: 'Workflow Job',
  },
  pull_request: {
    label: 'Pull requests',
    hint: 'The pull request that a run belongs to.',
    gitea: 'Pull Request',
    forgejo: 'Pull request: modification, synchronization',
  },
  pull_request_review: {
    label: 'Pull request reviews',
    hint: 'Approvals and requested changes.',
    gitea: 'Pull Request Reviewed',
    forgejo: 'Pull request: reviewed',
  },
  deployment_status: {
    label: 'Deployment statuses',
    hint: 'Deployments to environments, for the numbers of them on Health.',
  },
};
