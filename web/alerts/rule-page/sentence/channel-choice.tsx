import Plus from 'lucide-react/icons/plus';
import Trash2 from 'lucide-react/icons/trash-2';
import { useEffect, useId, useRef } from 'react';
import type { ChannelType, NotificationRule } from '#contract/alerts/alerts.ts';
import { useUser } from '../../../identity/use-user.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { SelectField, TextField } from '../../../ui/form/field.tsx';
import { channelOptions } from '../../channel-texts.ts';
import { RenewSecret } from '../../rule-form/channel-fields.tsx';
import { emptyChannel, type ChannelDraft } from '../../rule-form/rule-draft.ts';
import { channelTextOf, recognizeChannel, retypeChannel, suggestedChannels } from './recognize-channel.ts';

/** The channel of the sentence: a field that recognizes URLs and addresses, and offers channels of other rules. */
export function ChannelChoice({
  channels,
  rules,
  hasFocus,
  onChange,
}: {
  channels: readonly ChannelDraft[];
  rules: readonly NotificationRule[];
  /** Whether the field gets the focus when the page opens. */
  hasFocus: boolean;
  onChange: (channels: readonly ChannelDraft[]) => void;
}) {
  const [channel, ...others] = channels;
  if (channel === undefined)
    return (
      <div className="flex flex-wrap items-center gap-2">
        <span>nobody. Incidents open without a notification.</span>
        <Button onClick={() => onChange([emptyChannel('slack')])}>
          <Plus size={15} aria-hidden />
          Add channel
        </Button>
      </div>
    );
  return (
    <Choice
      channel={channel}
      rules={rules}
      hasFocus={hasFocus}
      onChange={(changed) => onChange([{ ...channel, ...changed }, ...others])}
      onRemove={() => onChange(others)}
    />
  );
}

function Choice({
  channel,
  rules,
  hasFocus,
  onChange,
  onRemove,
}: {
  channel: ChannelDraft;
  rules: readonly NotificationRule[];
  hasFocus: boolean;
  onChange: (changed: Partial<ChannelDraft>) => void;
  onRemove: () => void;
}) {
  const listId = useId();
  const { data: user } = useUser();
  const { channelId, type } = channel;
  const suggestions = suggestedChannels(rules, user?.email ?? null);
  return (
    <div>
      <div className="flex flex-wrap items-start gap-2">
        {type !== 'owner' && (
          <div className="min-w-48 grow basis-72">
            <AddressField
              channel={channel}
              listId={listId}
              hasFocus={hasFocus}
              onChange={(typed) => onChange(recognizeChannel(channel, typed, suggestions))}
            />
          </div>
        )}
        <div className="w-44 pointer-coarse:w-56">
          <SelectField
            name="channels.0.type"
            label="Kind of channel"
            options={channelOptions}
            disabled={channelId !== undefined || channel.copyOf !== undefined}
            value={type}
            onChange={({ target }) => onChange(retypeChannel(channel, target.value as ChannelType))}
          />
        </div>
        <IconButton label="Notify nobody" className="mt-6" onClick={onRemove}>
          <Trash2 size={15} aria-hidden />
        </IconButton>
      </div>
      <datalist id={listId}>
        {suggestions.map(({ text: value }) => (
          <option key={value} value={value}>
            {value}
          </option>
        ))}
      </datalist>
      <RenewSecret channel={channel} place={1} onChange={onChange} />
    </div>
  );
}

function AddressField({
  channel,
  listId,
  hasFocus,
  onChange,
}: {
  channel: ChannelDraft;
  listId: string;
  hasFocus: boolean;
  onChange: (typed: string) => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (hasFocus) field.current?.focus();
  }, [hasFocus]);
  const { channelId, type, host, copyOf } = channel;
  const text = channelTextOf(channel);
  const isUrl = type !== 'email' && copyOf === undefined;
  return (
    <TextField
      ref={field}
      name={`channels.0.${copyOf === undefined ? (type === 'email' ? 'to' : 'url') : 'copyOf'}`}
      label="Webhook URL or mail addresses"
      required={host === null}
      problem={isUrl && text !== '' && !URL.canParse(text) ? wrongAddress : undefined}
      hint={isUrl && text.startsWith('http:') && withoutTls}
      spellCheck={false}
      list={channelId === undefined ? listId : undefined}
      maxLength={2000}
      placeholder={host === null ? 'https://hooks.slack.com/… or team@example.com' : `Unchanged, at ${host}`}
      value={text}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}

const withoutTls = 'Start with https://. Others could read what is sent over http://.';
const wrongAddress = 'Enter a full address, such as https://example.com/path, or mail addresses.';
