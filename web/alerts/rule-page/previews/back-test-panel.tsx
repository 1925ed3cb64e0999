import { Fragment, useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { BackTestAnswer } from '#contract/alerts/back-test.ts';
import { sendJson } from '../../../api/client.ts';
import { ApiError } from '../../../api/problem.ts';
import { useSettled } from '../../../ui/form/use-settled.ts';
import { inPlainWords } from '../../../ui/form/form-faults.ts';
import { rulesPath } from '../../alert-paths.ts';
import { bodyOf, type RuleDraft } from '../../rule-form/rule-draft.ts';
import { BackTestResult } from './back-test-result.tsx';
import { PreviewPanel } from './preview-panel.tsx';

/** The server limits back-tests of a person to 20 a minute. */
const pauseMs = 900;

/** What the rule would have sent in the last days, while it is edited. */
export function BackTestPanel({
  integrationId,
  draft,
  isNew,
  reason,
  onChange,
}: {
  integrationId: string;
  draft: RuleDraft;
  onChange: (changed: Pick<RuleDraft, 'failureGroups'>) => void;
  isNew: boolean;
  /** Why this person cannot test rules. */
  reason: string | undefined;
}) {
  // Name and channels do not affect the result and may still be empty.
  const text = JSON.stringify({ ...bodyOf(draft), enabled: true, name: 'Tried', channels: [] });
  const settled = useSettled(text, pauseMs);
  const body = useMemo(() => JSON.parse(settled) as object, [settled]);
  const path = `${rulesPath(integrationId)}/back-test`;
  const { data, error, isFetching } = useQuery({
    queryKey: [path, settled],
    queryFn: () => sendJson<BackTestAnswer>('POST', path, body),
    placeholderData: (previous) => previous,
    staleTime: 60_000,
    enabled: reason === undefined,
  });
  const isDigest = draft.watch === 'weekly_digest';
  const isBusy = isFetching || settled !== text;
  return (
    <PreviewPanel
      title={isDigest ? 'Digest as it would be sent now' : 'Last 30 days'}
      isBusy={isBusy}
      isWhole={isDigest}
    >
      {reason !== undefined && <p className="text-muted">{reason}</p>}
      {error !== null && <p className="text-failed">{faultText(error)}</p>}
      {data === undefined && error === null && reason === undefined && (
        <p className="text-muted">Testing the rule…</p>
      )}
      {data !== undefined && error === null && isDigest && <DigestPreview digest={data.digest} />}
      {data !== undefined && error === null && !isDigest && (
        <BackTestResult
          answer={data}
          isOld={isBusy}
          watch={draft.watch}
          integrationId={integrationId}
          choice={draft.failureGroups}
          onChange={onChange}
          rule={{ isNew, isOn: draft.enabled, hasChannels: draft.channels.length > 0 }}
        />
      )}
    </PreviewPanel>
  );
}

function DigestPreview({ digest }: Pick<BackTestAnswer, 'digest'>) {
  if (digest === null)
    return <output>Nothing would be sent: no run failed and nothing became worse in the last 7 days.</output>;
  return (
    <output>
      <strong>{digest.title}</strong>
      <dl className="mt-2 grid gap-x-4 gap-y-1 sm:grid-cols-[auto_minmax(0,1fr)]">
        {digest.facts.map(({ name, value }) => (
          <Fragment key={`${name} ${value}`}>
            <dt className="text-muted">{name}</dt>
            <dd className="wrap-anywhere">
              <bdi>{value}</bdi>
            </dd>
          </Fragment>
        ))}
      </dl>
    </output>
  );
}

function faultText(error: Error): string {
  const fault = error instanceof ApiError ? error.fields[0] : undefined;
  if (fault === undefined) return `The rule could not be tested. ${error.message}`;
  return `The rule cannot be tested. ${fault.field}: ${inPlainWords(fault.message)}`;
}
