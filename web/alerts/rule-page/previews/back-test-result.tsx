import type { BackTestAnswer } from '#contract/alerts/back-test.ts';
import { formatCount } from '../../../ui/locale.ts';
import { TimeAgo } from '../../../ui/time/time.tsx';
import { redNowText, type EditedRule } from './red-now-text.ts';

/** The result of a back-test of a rule. `isOld`: another one is on its way. */
export function BackTestResult({
  answer,
  isOld,
  rule,
}: {
  answer: BackTestAnswer;
  isOld: boolean;
  rule: EditedRule;
}) {
  const { days, fired, recovered, heldBack, matches, redNow, samples } = answer;
  const isAboutFailures = samples.every(({ failedRuns, failedJobs }) => failedRuns + failedJobs > 0);
  return (
    <div className={isOld ? 'grayscale' : ''}>
      <output>
        {redNow > 0 && (
          <span className="mb-1 block">
            <strong>{formatCount(redNow, 'workflow')}</strong> {redNow === 1 ? 'is' : 'are'} red now.{' '}
            {redNowText(redNow, rule)}
          </span>
        )}
        In the last {days} days, {formatCount(matches, isAboutFailures ? 'failure' : 'incident')} would have
        matched and <strong>{formatCount(fired, 'notification')}</strong> would have been sent to each channel
        {recovered > 0 && <>, plus {formatCount(recovered, 'recovery notification')}</>}
        {heldBack > 0 && <>; {heldBack} suppressed</>}.
      </output>
      {samples.length > 0 && (
        <ul className="mt-2">
          {samples.map((sample) => (
            <li
              key={`${sample.failure.name} ${sample.failure.runId} ${sample.failure.attempt} ${sample.failure.jobId} ${sample.failure.at}`}
              className="flex flex-wrap gap-x-3 border-b border-line py-1 last:border-b-0"
            >
              <bdi className="font-medium">{sample.workflow ?? 'Unnamed workflow'}</bdi>
              <bdi className="text-muted">
                {sample.repository} {sample.branch}
              </bdi>
              {sample.failedRuns + sample.failedJobs === 0 && <bdi>{sample.failure.name}</bdi>}
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
