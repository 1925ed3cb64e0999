import type { ComponentProps } from 'react';
import type { BackTestAnswer } from '#contract/alerts/back-test.ts';
import { formatCount, formatNumber } from '../../../ui/locale.ts';
import { Button } from '../../../ui/button.tsx';
import { TextLink } from '../../../ui/text/text-link.tsx';
import { TimeAgo } from '../../../ui/time/time.tsx';
import type { RuleDraft } from '../../rule-form/rule-draft.ts';
import { redNowText, type EditedRule } from './red-now-text.ts';

/** Fewer may be chance. */
const leastFlaky = 3;

/** The result of a back-test of a rule. `isOld`: another one is on its way. */
export function BackTestResult({
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
