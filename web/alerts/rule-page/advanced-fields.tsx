import { use, useLayoutEffect, useRef } from 'react';
import { CheckField, TextField } from '../../ui/form/field.tsx';
import { FormFaults } from '../../ui/form/form-faults.ts';
import { ChannelFields } from '../rule-form/channel-fields.tsx';
import type { DraftProps } from '../rule-form/rule-draft.ts';
import { suggestedName } from '../rule-form/suggested-name.ts';
import { MatchFields, QuietFields } from '../rule-form/rule-fields.tsx';
import { WatchFields } from '../rule-form/watch-fields.tsx';
import { advancedSummary } from './advanced-summary.ts';

/** Everything that the sentence leaves out, closed until it is asked for or has an error. */
export function AdvancedFields({ draft, onChange }: DraftProps) {
  const { channels } = draft;
  return (
    <details className="rounded-md border border-line">
      <summary className="cursor-pointer px-3 py-2">
        <span className="font-semibold">Advanced</span>{' '}
        <span className="text-muted">{advancedSummary(draft)}</span>
      </summary>
      <OpenAtFault />
      <div className="flex flex-col gap-4 border-t border-line px-3 py-4">
        <TextField
          name="name"
          label="Name"
          maxLength={100}
          autoComplete="off"
          placeholder={suggestedName(draft)}
          value={draft.name}
          onChange={({ target }) => onChange({ name: target.value })}
        />
        <WatchFields draft={draft} onChange={onChange} />
        <MatchFields draft={draft} onChange={onChange} />
        {draft.watch !== 'weekly_digest' && <QuietFields draft={draft} onChange={onChange} />}
        {channels.length > 0 && (
          <ChannelFields
            channels={channels.slice(1)}
            onChange={(further) => onChange({ channels: [...channels.slice(0, 1), ...further] })}
          />
        )}
        <CheckField
          label="The rule is on"
          checked={draft.enabled}
          onChange={({ target }) => onChange({ enabled: target.checked })}
        />
      </div>
    </details>
  );
}

/**
 * Opens the fields before the form moves the focus to the first error. A component of its own, because the errors change at each click: a
 * checkbox that renders during its click keeps its old value.
 */
function OpenAtFault() {
  const mark = useRef<HTMLSpanElement>(null);
  const hasFault = use(FormFaults).some(({ field }) => !field.startsWith('channels.0.'));
  useLayoutEffect(() => {
    if (hasFault) mark.current?.closest('details')?.setAttribute('open', '');
  }, [hasFault]);
  return <span ref={mark} hidden />;
}
