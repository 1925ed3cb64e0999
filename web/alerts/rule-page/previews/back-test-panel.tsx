import { Fragment, useMemo, type ComponentProps } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { BackTestAnswer } from '#contract/alerts/back-test.ts';
import { sendJson } from '../../../api/client.ts';
import { ApiError } from '../../../api/problem.ts';
import { useSettled } from '../../../ui/form/use-settled.ts';
import { inPlainWords } from '../../../ui/form/form-faults.ts';
import { rulesPath } from '../../alert-paths.ts';
import { bodyOf, type RuleDraft } from '../../rule-form/rule-draft.ts';
import { formatCount, formatNumber } from '../../../ui/locale.ts';
import { Button } from '../../../ui/button.tsx';
import { TextLink } from '../../../ui/text/text-link.tsx';
import { TimeAgo } from '../../../ui/time/time.tsx';
import { PreviewPanel } from './preview-panel.tsx';
import { redNowText, type EditedRule } from './red-now-text.ts';

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

/** Fewer may be chance. */
const leastFlaky = 3;

/** The result of a back-test of a rule. `isOld`: another one is on its way. */
function BackTestResult({
  answer,
  isOld,
  watch,
  rule,
  ...advice
}: {
  answer: BackTestAnswer;
  isOld: boolean;
  watch: RuleDraft['watch'];
  rule: EditedRule;
} & Omit<ComponentProps<typeof FlakyAdvice>, 'answer'>) {
  const { days, fired, recovered, heldBack, matches, redNow, samples } = answer;
  const isAboutFailures = watch === 'failure';
  return (
    <div className={isOld ? 'grayscale' : ''}>
      <output>
        {redNow > 0 && (
          <span className="mb-1 block">
            <strong>{formatCount(redNow, isAboutFailures ? 'workflow' : 'incident')}</strong>{' '}
            {isAboutFailures ? `${redNow === 1 ? 'is' : 'are'} red` : 'would be open'} now.{' '}
            {redNowText(redNow, rule)}
          </span>
        )}
        In the last {days} days, {formatCount(matches, isAboutFailures ? 'failure' : 'incident')} would have
        matched and <strong>{formatCount(fired, 'notification')}</strong> would have been sent to each channel
        {recovered > 0 && <>, plus {formatCount(recovered, 'recovery notification')}</>}
        {heldBack > 0 && <>; {heldBack} suppressed</>}.
      </output>
      <FlakyAdvice answer={answer} {...advice} />
      {samples.length > 0 && (
        <ul className="mt-2">
          {samples.map((sample) => (
            <li
              key={`${sample.failure.name} ${sample.failure.runId} ${sample.failure.attempt} ${sample.failure.jobId} ${sample.failure.at}`}
              className="flex flex-wrap gap-x-3 border-b border-line py-1 last:border-b-0"
            >
              <bdi className="font-medium wrap-anywhere">
                {sample.subject ?? sample.workflow ?? 'Unnamed workflow'}
              </bdi>
              <bdi className="text-muted">
                {sample.repository} {sample.subject !== null && sample.workflow} {sample.branch}
              </bdi>
              {!isAboutFailures && <bdi>{sample.failure.name}</bdi>}
              <span className="ml-auto text-muted">
                {sample.heldBack && 'suppressed · '}
                {sample.messages > 1 && `${formatCount(sample.messages, 'notification')} · `}
                <TimeAgo time={sample.failure.at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Says how many notifications a failure caused that was probably flaky, and what to do about it. */
function FlakyAdvice({
  integrationId,
  answer: { fired, passedOnRerun },
  choice,
  onChange,
}: {
  integrationId: string;
  answer: BackTestAnswer;
  choice: RuleDraft['failureGroups'];
  onChange: (changed: Pick<RuleDraft, 'failureGroups'>) => void;
}) {
  if (passedOnRerun < leastFlaky || passedOnRerun < fired / 5) return null;
  return (
    <div className="mt-2 flex flex-col items-start gap-2">
      <p>
        {formatNumber(passedOnRerun)} of them would have been about failures that passed when the same run was
        run again. They may be flaky:{' '}
        <TextLink to="/integrations/$integrationId/failures" params={{ integrationId }}>
          mark the flaky failures
        </TextLink>
        {choice === 'all' ? ' and leave them out.' : '.'}
      </p>
      {choice === 'all' && (
        <Button onClick={() => onChange({ failureGroups: 'unmarked' })}>Leave out known flaky</Button>
      )}
    </div>
  );
}
