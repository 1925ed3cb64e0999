import { useMemo } from 'react';
import { clip } from '../../../ui/text/clip.ts';
import { useSettled } from '../../../ui/form/use-settled.ts';
import { branchText, matchSummary, waitingText } from '../../rule-form/match-texts.ts';
import { watchedWorkflows, type PlacePatterns } from '../../rule-form/watched-workflows.ts';
import { PreviewPanel } from './preview-panel.tsx';
import { useKnownWorkflows } from '../sentence/use-known-workflows.ts';

/** Enough rows to check the patterns. The summary gives the total. */
const mostShown = 20;

/** Previews which recent workflows match the patterns while they are typed. */
export function MatchPreview({
  integrationId,
  patterns: { repositories, workflows, branches, defaultBranchOnly, watch, failureGroups },
}: {
  integrationId: string;
  patterns: PlacePatterns;
}) {
  const { data, error } = useKnownWorkflows(integrationId);
  const patterns = useSettled(
    useMemo(
      () => ({ repositories, workflows, branches, defaultBranchOnly, watch, failureGroups }),
      [repositories, workflows, branches, defaultBranchOnly, watch, failureGroups],
    ),
  );
  const watched = useMemo(() => watchedWorkflows(data?.items ?? [], patterns), [data, patterns]);
  return (
    <PreviewPanel title="Matching workflows">
      <output>{data === undefined ? waitingText(error) : matchSummary(data, watched)}</output>
      {watched.length > 0 && (
        <ul className="mt-2">
          {watched.slice(0, mostShown).map((one) => (
            <li
              key={JSON.stringify([one.repository, one.workflow])}
              className="flex flex-wrap gap-x-3 border-b border-line py-1 last:border-b-0"
            >
              <bdi className="font-medium">{clip(one.workflow ?? 'Unnamed workflow', 100)}</bdi>
              <bdi className="text-muted">{clip(one.repository, 100)}</bdi>
              <bdi className="text-muted">{branchText(one)}</bdi>
            </li>
          ))}
        </ul>
      )}
      {watched.length > mostShown && <p className="mt-1 text-muted">and {watched.length - mostShown} more</p>}
    </PreviewPanel>
  );
}
