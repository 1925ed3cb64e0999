import type { QueuedEvent } from '#contract/integrations/integrations.ts';
import { storableText } from '#platform/database/rows/storable-text.ts';
import { fields, type Fields } from '#platform/runtime/json-fields.ts';
import { timeMs } from '#platform/runtime/times.ts';
import { id, maskedText, maxLengths } from '../parsing/payload-fields.ts';

/** Which repository and workflow an event is about, by the ids of the forge. Names are for display: they change and repeat. */
export interface EventSource {
  /** Null when the forge sends none. Then the name is the identity. */
  repositoryId: number | null;
  /** The forge's host. Equal ids of different forges are different repositories. Null when the event has no address. */
  host: string | null;
  defaultBranch: string | null;
  /** The head of a run or pull request is in this repository and not in a fork. Null when the ids do not tell. */
  isOwnHead: boolean | null;
  /** Of a run. The id of a workflow is a number at GitHub and the name of a file at Gitea and Forgejo. */
  workflowRef: string | null;
  workflowPath: string | null;
  /** The display name of the workflow, of a run or job. Null when the event does not tell it. */
  workflowName: string | null;
  /**
   * Milliseconds. Names of newer events replace those of older ones. 0 when nobody knows when the forge called things so: such an event
   * names only what had no name yet.
   */
  at: number;
  /** Of a run whose stored names are not those for display. */
  shown?: { repository: string; workflowName: string | null };
}

export function readSource(type: QueuedEvent, payload: Fields): EventSource {
  const repository = fields(payload['repository']);
  const repositoryId = id(repository['id']);
  const subject = fields(payload[subjects[type]]);
  const headId = id(fields(headOf(type, subject))['id']);
  const workflow = type === 'workflow_run' ? fields(payload['workflow']) : {};
  return {
    repositoryId,
    host: hostOf(repository['html_url']) ?? hostOf(subject['html_url']),
    defaultBranch: storableText(repository['default_branch'], maxLengths.name),
    isOwnHead: headId === null || repositoryId === null ? null : headId === repositoryId,
    workflowRef: type === 'workflow_run' ? workflowRef(subject, workflow) : null,
    workflowPath: pathOf(subject['path']) ?? pathOf(workflow['path']),
    workflowName: workflowName(type, subject, workflow),
    at:
      timeMs(subject['updated_at']) ??
      // Of a review.
      timeMs(fields(payload['pull_request'])['updated_at']) ??
      timeMs(subject['submitted_at']) ??
      timeMs(subject['completed_at']) ??
      timeMs(subject['created_at']) ??
      0,
  };
}

const subjects = {
  workflow_run: 'workflow_run',
  workflow_job: 'workflow_job',
  pull_request: 'pull_request',
  pull_request_review: 'review',
  deployment_status: 'deployment_status',
} as const satisfies Record<QueuedEvent, string>;

function hostOf(url: unknown): string | null {
  return typeof url === 'string'
    ? (/^https?:\/\/([^/?#@\s]{1,255})/i.exec(url)?.[1]?.toLowerCase() ?? null)
    : null;
}

function headOf(type: QueuedEvent, subject: Fields): unknown {
  if (type === 'workflow_run') return subject['head_repository'];
  return type === 'pull_request' ? fields(subject['head'])['repo'] : undefined;
}

/** `.github/workflows/ci.yml@refs/heads/main` names a file and the ref that it ran on. */
function pathOf(path: unknown): string | null {
  return typeof path === 'string' ? storableText(path.split('@', 1)[0], maxLengths.name) : null;
}

function workflowRef(run: Fields, workflow: Fields): string | null {
  for (const each of [run['workflow_id'], workflow['id']]) {
    if (id(each) !== null) return String(each);
    const file = storableText(each, maxLengths.name);
    if (file !== null) return file;
  }
  return pathOf(run['path']) ?? pathOf(workflow['path']);
}

/**
 * `workflow_run.name` is set by `run-name` and by Dependabot, and is the path of a file that is not valid. It names the workflow only
 * where nothing else does.
 */
function workflowName(type: QueuedEvent, subject: Fields, workflow: Fields): string | null {
  if (type === 'workflow_job') return maskedText(subject['workflow_name'], maxLengths.name);
  if (type !== 'workflow_run') return null;
  const name = maskedText(workflow['name'], maxLengths.name);
  if (name !== null) return name;
  const isTitle = subject['name'] === subject['display_title'] || subject['name'] === subject['path'];
  return isTitle ? null : maskedText(subject['name'], maxLengths.name);
}
