import ChevronDown from 'lucide-react/icons/chevron-down';
import type { IncidentKind, NotificationRule } from '#contract/alerts/alerts.ts';
import type { DraftProps } from '../../rule-form/rule-draft.ts';
import { dayNames, hourText } from '../../rule-form/rule-names.ts';
import type { Choice } from '../../../ui/menu/menu-popup.tsx';
import { lazyPart } from '../../../ui/page/lazy-part.tsx';
import { PopupButton } from '../../../ui/menu/popup-button.tsx';
import { clip } from '../../../ui/text/clip.ts';
import { ChannelChoice } from './channel-choice.tsx';
import {
  branchChoices,
  branchText,
  chooseBranches,
  chooseRepositories,
  chosenBranches,
  chosenRepositories,
  repositoryChoices,
  repositoryText,
  isWhole,
} from './sentence-choices.ts';
import { useKnownWorkflows } from './use-known-workflows.ts';

const verbs: Record<IncidentKind, [subject: string, verb: string]> = {
  failure: ['', 'breaks in'],
  did_not_run: ['a workflow on', 'does not run in'],
  queued_too_long: ['a job on', 'waits too long in'],
  got_slower: ['a workflow on', 'gets slower in'],
  test_broken: ['a test on', 'breaks in'],
  test_flaky: ['a test on', 'becomes flaky in'],
};

/** The rule as one sentence with three choices. */
export function RuleSentence({
  integrationId,
  rules,
  isNew,
  draft,
  onChange,
}: DraftProps & {
  integrationId: string;
  rules: readonly NotificationRule[];
  isNew: boolean;
}) {
  const { data } = useKnownWorkflows(integrationId);
  const known = data?.items ?? [];
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        {draft.watch === 'weekly_digest' ? (
          <span className="text-lg">
            Every {dayNames[draft.digestDay]} at {hourText(draft.digestHour)}, sum up the week of
          </span>
        ) : (
          <>
            <span className="text-lg">When {verbs[draft.watch][0]}</span>
            <PlaceChoice
              name="Branch"
              text={branchText(draft)}
              choices={branchChoices(known, draft)}
              chosen={chosenBranches(draft)}
              onChoose={(values) => onChange(chooseBranches(draft, values))}
            />
            <span className="text-lg">{verbs[draft.watch][1]}</span>
          </>
        )}
        <span className="inline-flex min-w-0 items-center">
          <PlaceChoice
            name="Repository"
            text={repositoryText(draft)}
            choices={repositoryChoices(known, draft)}
            chosen={chosenRepositories(draft)}
            onChoose={(values) => onChange(chooseRepositories(draft, values))}
          />
          <span className="text-lg">,</span>
        </span>
        <span className="text-lg">notify</span>
      </div>
      <ChannelChoice
        channels={draft.channels}
        rules={rules}
        hasFocus={isNew}
        onChange={(channels) => onChange({ channels })}
      />
    </div>
  );
}

const MultiPopup = lazyPart('multi-popup', 'MultiPopup', () => import('../../../ui/menu/multi-popup.tsx'));

/** A choice within the sentence, with a field that filters and takes patterns. */
function PlaceChoice({
  name,
  text,
  choices,
  chosen,
  onChoose,
}: {
  name: string;
  /** What is chosen, as a part of the sentence. */
  text: string;
  choices: readonly Choice[];
  chosen: readonly string[];
  onChoose: (values: string[]) => void;
}) {
  return (
    <PopupButton
      kind="dialog"
      Popup={MultiPopup}
      content={{
        label: name,
        choices,
        chosen,
        takesOthers: true,
        note: 'Patterns such as release/* count too.',
        closesAfter: isWhole,
        onChoose,
      }}
      className="inline-flex max-w-full items-center gap-1 rounded-md border border-line-strong bg-surface px-2 py-0.5 text-lg font-semibold hover:bg-hover"
    >
      <span className="sr-only">{name}: </span>
      <bdi className="truncate">{clip(text, 60)}</bdi>
      <ChevronDown size={15} aria-hidden className="shrink-0 text-muted" />
    </PopupButton>
  );
}
