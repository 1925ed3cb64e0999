import Plus from 'lucide-react/icons/plus';
import Trash2 from 'lucide-react/icons/trash-2';
import type { ChannelType } from '#contract/alerts/alerts.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { CheckField, FieldGroup, SelectField, TextField } from '../../ui/form/field.tsx';
import { channelOptions } from '../channel-texts.ts';
import { emptyChannel, type ChannelDraft } from './rule-draft.ts';

/** The channels of a rule after the first one. */
export function ChannelFields({
  channels,
  onChange,
}: {
  channels: readonly ChannelDraft[];
  onChange: (channels: readonly ChannelDraft[]) => void;
}) {
  const change = (key: string, changed: Partial<ChannelDraft>): void =>
    onChange(channels.map((each) => (each.key === key ? { ...each, ...changed } : each)));
  return (
    <FieldGroup name="channels" label="Also notify">
      <div className="flex flex-col gap-3">
        {channels.map((channel, index) => (
          <OneChannel
            key={channel.key}
            channel={channel}
            name={`channels.${index + 1}`}
            place={index + 2}
            onChange={(changed) => change(channel.key, changed)}
            onRemove={() => onChange(channels.filter((each) => each.key !== channel.key))}
          />
        ))}
        <div>
          <Button onClick={() => onChange([...channels, emptyChannel('slack')])}>
            <Plus size={15} aria-hidden />
            Add channel
          </Button>
        </div>
      </div>
    </FieldGroup>
  );
}

function OneChannel({
  channel,
  name,
  place,
  onChange,
  onRemove,
}: {
  channel: ChannelDraft;
  /** The path of the channel in the request body. */
  name: string;
  place: number;
  onChange: (changed: Partial<ChannelDraft>) => void;
  onRemove: () => void;
}) {
  const { channelId, type, to, url, host } = channel;
  return (
    <div>
      <div className="flex items-end gap-2">
        <div className="w-36 shrink-0 sm:w-52">
          <SelectField
            name={`${name}.type`}
            label={`Channel ${place}`}
            options={channelOptions}
            disabled={channelId !== undefined}
            value={type}
            onChange={({ target }) => onChange({ type: target.value as ChannelType })}
          />
        </div>
        <div className="min-w-0 grow">
          {type === 'owner' ? null : type === 'email' ? (
            <TextField
              name={`${name}.to`}
              required
              label="Addresses"
              autoComplete="on"
              placeholder="team@example.com, on-call@example.com"
              value={to}
              onChange={({ target }) => onChange({ to: target.value })}
            />
          ) : (
            <TextField
              name={`${name}.url`}
              required={host === null}
              label="Webhook URL"
              type="url"
              placeholder={host === null ? 'https://…' : `Unchanged, at ${host}`}
              value={url}
              onChange={({ target }) => onChange({ url: target.value })}
            />
          )}
        </div>
        <IconButton label={`Remove channel ${place}`} className="mb-0.5" onClick={onRemove}>
          <Trash2 size={15} aria-hidden />
        </IconButton>
      </div>
      <RenewSecret channel={channel} place={place} onChange={onChange} />
    </div>
  );
}

/** Only for a stored signed webhook. */
export function RenewSecret({
  channel: { type, channelId, renewSecret },
  place,
  onChange,
}: {
  channel: ChannelDraft;
  place: number;
  onChange: (changed: Partial<ChannelDraft>) => void;
}) {
  if (type !== 'webhook' || channelId === undefined) return null;
  return (
    <CheckField
      label={`Replace the signing secret of channel ${place}`}
      hint="The new secret is shown once, after you save. The previous secret then expires."
      checked={renewSecret}
      onChange={({ target }) => onChange({ renewSecret: target.checked })}
    />
  );
}
