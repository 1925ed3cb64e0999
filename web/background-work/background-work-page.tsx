import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import {
  taskFilters,
  taskKinds,
  type BackgroundTask,
  type TasksRetried,
} from '#contract/integrations/tasks.ts';
import { usePages } from '../api/use-pages.ts';
import { useRoleReason } from '../integrations/use-integration.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog/confirm-dialog.tsx';
import { PageError } from '../ui/form/form.tsx';
import { useShortcuts } from '../ui/keyboard/use-shortcuts.ts';
import { FilterMenu } from '../ui/menu/filter-menu.tsx';
import { BackLink } from '../ui/page/back-link.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Message } from '../ui/page/message.tsx';
import { NoMatches } from '../ui/page/no-matches.tsx';
import { PageBody } from '../ui/page/page-body.tsx';
import { PageHeader, PageTitle } from '../ui/page/page-header.tsx';
import { MoreButton } from '../ui/table/more-button.tsx';
import { Table } from '../ui/table/table.tsx';
import { useRemove } from '../ui/use-remove.ts';
import { marks, taskColumns } from './task-columns.tsx';
import { kindNames, type TaskSearch } from './task-search.ts';
import { sendJson } from '../api/client.ts';
import { toast } from '../ui/dialog/toast.ts';
import { formatCount } from '../ui/locale.ts';

const askEveryMs = 5000;

interface PageProps {
  integrationId: string;
  filter: TaskSearch;
  onFilter: (change: TaskSearch) => void;
  /** Back to the settings. */
  onLeave: () => void;
}

/** What the service does for an integration in the background, why it waits or fails, and when it is tried next. */
export function BackgroundWorkPage(props: PageProps) {
  const { integrationId, filter, onFilter, onLeave } = props;
  const reason = useRoleReason(integrationId, 'admin');
  useShortcuts({ Escape: onLeave });
  return (
    <>
      <PageHeader
        title={
          <>
            <BackLink integrationId={integrationId} list="settings" onClose={onLeave} />
            <PageTitle>Background work</PageTitle>
          </>
        }
        end={null}
      >
        {reason === undefined && <TaskFilters filter={filter} onFilter={onFilter} />}
      </PageHeader>
      <PageBody>
        {reason === undefined ? (
          <TaskList integrationId={integrationId} filter={filter} onFilter={onFilter} />
        ) : (
          <Message title="Only for admins">
            <p className="text-muted">{reason}.</p>
          </Message>
        )}
      </PageBody>
    </>
  );
}

function TaskFilters({ filter: { state, kind }, onFilter }: Pick<PageProps, 'filter' | 'onFilter'>) {
  return (
    <search className="contents">
      <FilterMenu
        name="State"
        value={state}
        groups={[taskFilters.map((value) => ({ value, label: marks[value].word }))]}
        onChoose={(chosen) => onFilter({ state: taskFilters.find((each) => each === chosen) })}
      />
      <FilterMenu
        name="Task"
        value={kind}
        groups={[kindNames.map((value) => ({ value, label: taskKinds[value].title }))]}
        onChoose={(chosen) => onFilter({ kind: kindNames.find((each) => each === chosen) })}
      />
    </search>
  );
}

function TaskList({ integrationId, filter, onFilter }: Omit<PageProps, 'onLeave'>) {
  const path = `/api/integrations/${integrationId}/tasks`;
  const { reading, more, isReadingMore } = usePages<BackgroundTask>(path, { ...filter }, askEveryMs);
  const [dropping, setDropping] = useState<BackgroundTask>();
  const retry = useRetryTasks(path);
  const columns = taskColumns({
    isRetrying: retry.isPending,
    onRetry: ({ taskId }) => retry.mutate([taskId]),
    onDrop: setDropping,
  });
  return (
    <>
      <PageError error={retry.error} />
      <Loaded reading={reading} what="background tasks">
        {(tasks) =>
          tasks.length === 0 ? (
            <NoTasks filter={filter} onFilter={onFilter} />
          ) : (
            <>
              <RetryFailing
                tasks={tasks}
                isRetrying={retry.isPending}
                onRetry={() => retry.mutate(undefined)}
              />
              <Table
                label="Background tasks"
                columns={columns}
                rows={tasks}
                rowKey={({ taskId }) => taskId}
                isTall
              />
            </>
          )
        }
      </Loaded>
      <MoreButton more={more} isPending={isReadingMore} />
      {dropping && <DropDialog path={path} task={dropping} onClose={() => setDropping(undefined)} />}
    </>
  );
}

function RetryFailing({
  tasks,
  isRetrying,
  onRetry,
}: {
  tasks: readonly BackgroundTask[];
  isRetrying: boolean;
  onRetry: () => void;
}) {
  const isAnyFailing = tasks.some(({ failures }) => failures > 0);
  return (
    <div className="flex flex-wrap items-center gap-3 px-4 py-3">
      <p className="grow text-muted">
        {isAnyFailing
          ? 'Failing tasks are tried again automatically. Retry them after you fixed the cause.'
          : 'No task fails.'}
      </p>
      {isAnyFailing && (
        <Button disabled={isRetrying} onClick={onRetry}>
          Retry all failing
        </Button>
      )}
    </div>
  );
}

function NoTasks({ filter: { state, kind }, onFilter }: Pick<PageProps, 'filter' | 'onFilter'>) {
  if (state !== undefined || kind !== undefined)
    return <NoMatches what="tasks" onClear={() => onFilter({ state: undefined, kind: undefined })} />;
  return (
    <Message title="No background work">
      <p className="text-muted">
        Tasks appear here when the service works at the forge or sends webhooks for this integration.
      </p>
    </Message>
  );
}

function DropDialog({ path, task, onClose }: { path: string; task: BackgroundTask; onClose: () => void }) {
  const remove = useRemove(path);
  return (
    <ConfirmDialog
      title="Drop this task?"
      action="Drop"
      onConfirm={() => remove('Task dropped', task.taskId)}
      onClose={onClose}
    >
      <p>
        {task.title}
        {task.subject !== null && (
          <>
            {' '}
            (<bdi>{task.subject}</bdi>)
          </>
        )}
        . {task.dropNote}
      </p>
    </ConfirmDialog>
  );
}

/** Makes tasks due now. Without ids, all that fail. */
function useRetryTasks(path: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (taskIds: string[] | undefined) =>
      sendJson<TasksRetried>('POST', `${path}/retry`, taskIds === undefined ? {} : { taskIds }),
    onSuccess: ({ retried }) =>
      toast(retried === 0 ? 'Nothing to retry: it runs already' : `${formatCount(retried, 'task')} due now`),
    onSettled: () => client.invalidateQueries({ queryKey: [path] }),
  });
}
