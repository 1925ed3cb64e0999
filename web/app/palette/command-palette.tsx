import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import type { BaseUIEvent } from '@base-ui/react/types';
import { useRef, useState, type KeyboardEvent } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import type { RunsByIntegration } from '#contract/runs/found-runs.ts';
import type { WorkflowRun } from '#contract/runs/runs.ts';
import { formatCount } from '../../ui/locale.ts';
import { getJson } from '../../api/client.ts';
import { queryString } from '../../api/query-string.ts';
import { useIntegrations } from '../../integrations/use-integration.ts';
import { titleOf, workflowOf } from '../../runs/run-texts.ts';
import { StatusIcon } from '../../runs/status-mark.tsx';
import { useSettled } from '../../ui/form/use-settled.ts';
import { clip } from '../../ui/text/clip.ts';
import { matchingCommands, type Command, type CommandGroup } from './commands.ts';
import { useCommands } from './use-commands.ts';

/** Runs a command by its name, or opens a run. Runs arrive late and come last, so that they move nothing. */
export function CommandPalette({ onClose }: { onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const commands = matchingCommands(useCommands(typed), typed);
  const { groups: runs, isSearching } = useFoundRuns(typed);
  const groups = [...(commands.length === 0 ? [] : [{ label: 'Commands', items: commands }]), ...runs];
  const onRun = (command: Command): void => {
    onClose();
    command.run();
  };
  const early = useEarlyEnter(groups, onRun);
  const foundRuns = runs.reduce((sum, { items }) => sum + items.length, 0);
  return (
    <BaseDialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="fixed inset-0 z-40 bg-black/35" />
        <BaseDialog.Popup
          initialFocus={field}
          className="fixed top-[12dvh] left-1/2 z-50 flex max-h-[70dvh] w-[min(36rem,calc(100vw-2rem))] -translate-x-1/2 flex-col overflow-hidden rounded-xl border border-line-strong bg-raised shadow-float outline-hidden"
        >
          <BaseDialog.Title className="sr-only">Command</BaseDialog.Title>
          <Autocomplete.Root
            open
            inline
            items={groups}
            filter={null}
            itemToStringValue={({ label }: Command) => label}
            autoHighlight="always"
            keepHighlight
            value={typed}
            onValueChange={(text, { reason }) => reason !== 'item-press' && setTyped(text)}
            onItemHighlighted={early.onItemHighlighted}
          >
            <Autocomplete.Input
              ref={field}
              aria-label="Command"
              placeholder="Find a run or a pull request, or type a command…"
              spellCheck={false}
              onKeyDown={early.onKeyDown}
              className="h-12 shrink-0 border-b border-line bg-transparent px-4 text-lg outline-hidden"
            />
            <Found hasRuns={runs.length > 0} onRun={onRun} />
            <Autocomplete.Empty className="text-muted not-empty:p-4">
              {isSearching ? 'Searching…' : 'No matching commands or runs.'}
            </Autocomplete.Empty>
            <Autocomplete.Status className="sr-only">
              {isSearching
                ? 'Searching…'
                : `${formatCount(commands.length, 'command')}, ${formatCount(foundRuns, 'run')}`}
            </Autocomplete.Status>
          </Autocomplete.Root>
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

/** The highlight follows the list a moment later than the text. Enter right after typing runs the first command. */
function useEarlyEnter(groups: readonly CommandGroup[], onRun: (command: Command) => void) {
  const highlighted = useRef<string | undefined>(undefined);
  return {
    onItemHighlighted: (command: Command | undefined): void => {
      highlighted.current = command?.key;
    },
    onKeyDown: (event: BaseUIEvent<KeyboardEvent<HTMLInputElement>>): void => {
      if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
      const shown = groups.flatMap(({ items }) => items);
      const [first] = shown;
      if (first === undefined || shown.some(({ key }) => key === highlighted.current)) return;
      event.preventBaseUIHandler();
      event.preventDefault();
      onRun(first);
    },
  };
}

/** The groups of commands and runs. */
function Found({ hasRuns, onRun }: { hasRuns: boolean; onRun: (command: Command) => void }) {
  return (
    <Autocomplete.List aria-label="Commands" className="min-h-0 overflow-y-auto p-1.5 empty:hidden">
      {(group: CommandGroup) => (
        <Autocomplete.Group key={group.label} items={group.items} className="not-first:mt-1.5">
          <Autocomplete.GroupLabel className={hasRuns ? 'px-2.5 py-1 text-xs text-muted' : 'sr-only'}>
            {group.label}
          </Autocomplete.GroupLabel>
          <Autocomplete.Collection>
            {(command: Command) => (
              <Option key={command.key} command={command} onRun={() => onRun(command)} />
            )}
          </Autocomplete.Collection>
        </Autocomplete.Group>
      )}
    </Autocomplete.List>
  );
}

function Option({ command, onRun }: { command: Command; onRun: () => void }) {
  const { label, icon, kind, keys } = command;
  return (
    <Autocomplete.Item
      value={command}
      className="flex cursor-pointer items-center gap-3 rounded-md px-2.5 py-1.5 data-highlighted:bg-selected pointer-coarse:py-2.5"
      onClick={onRun}
    >
      {icon}
      <bdi className="min-w-0 truncate">{label}</bdi>
      {kind && <bdi className="max-w-[50%] shrink-0 truncate text-muted">{kind}</bdi>}
      {keys && (
        <kbd className="ml-auto rounded border border-line-strong px-1.5 font-mono text-2xs text-muted">
          {keys}
        </kbd>
      )}
    </Autocomplete.Item>
  );
}

const shortest = 2;
const freshMs = 10_000;

/** The runs that match the typed text, in one group for each integration of the person. */
function useFoundRuns(typed: string): { groups: CommandGroup[]; isSearching: boolean } {
  const { integrationId } = useParams({ strict: false });
  const { data: integrations = [] } = useIntegrations();
  const navigate = useNavigate();
  const q = typed.trim().slice(0, 255);
  const settled = useSettled(q);
  const isWanted = q.length >= shortest && settled === q;
  const { data, isFetching } = useQuery({
    queryKey: ['found-runs', integrationId, settled],
    queryFn: ({ signal }) =>
      getJson<RunsByIntegration>(
        `/api/search/runs${queryString({ q: settled, first: integrationId })}`,
        signal,
      ),
    enabled: isWanted,
    staleTime: freshMs,
  });
  const open = ({ integrationId: id, runId }: WorkflowRun): void =>
    void navigate({
      to: '/integrations/$integrationId/runs/$runId',
      params: { integrationId: id, runId: String(runId) },
    });
  const groups = (isWanted ? (data?.items ?? []) : []).map(({ integrationId: id, items, hasMore }) => {
    const label = integrations.find((one) => one.integrationId === id)?.label ?? id;
    const showAll: Command = {
      key: `all runs ${id}`,
      label: `Show all in ${label}`,
      run: () =>
        void navigate({
          to: '/integrations/$integrationId/runs',
          params: { integrationId: id },
          search: { q: settled },
        }),
    };
    const runs = items.map((run) => runCommand(run, () => open(run)));
    return { label: `Runs in ${label}`, items: hasMore ? [...runs, showAll] : runs };
  });
  return { groups, isSearching: q.length >= shortest && (settled !== q || isFetching) };
}

function runCommand(run: WorkflowRun, open: () => void): Command {
  const facts = [workflowOf(run), clip(run.headBranch ?? '', 60)].filter((fact) => fact !== '');
  return {
    key: `run ${run.integrationId} ${run.runId}`,
    icon: <StatusIcon status={run.status} conclusion={run.conclusion} />,
    label: run.runNumber === null ? titleOf(run) : `${titleOf(run)} #${run.runNumber}`,
    kind: facts.join(' · '),
    run: open,
  };
}
