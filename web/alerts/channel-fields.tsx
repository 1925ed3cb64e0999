import Plus from 'lucide-react/icons/plus';
import Trash2 from 'lucide-react/icons/trash-2';
import { channelTypes, type ChannelType } from '#contract/alerts.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { FieldGroup, SelectField, TextField } from '../ui/field.tsx';
import { channelNames } from './channel-texts.ts';
import { emptyChannel, type ChannelDraft } from './rule-draft.ts';

const options = channelTypes.map((value) => ({ value, label: channelNames[value] }));

/** Where a rule sends to. */
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
    <FieldGroup label="Send to">
      <div className="flex flex-col gap-3">
        {channels.map((channel, index) => (
          <div key={channel.key} className="flex items-end gap-2">
            <div className="w-36 shrink-0 sm:w-52">
              <SelectField
                label={`Channel ${index + 1}`}
                options={options}
                disabled={channel.channelId !== undefined}
                value={channel.type}
                onChange={({ target }) => change(channel.key, { type: target.value as ChannelType })}
              />
            </div>
            <div className="min-w-0 grow">
              {channel.type === 'email' ? (
                <TextField
                  label="Addresses"
                  placeholder="team@example.com, on-call@example.com"
                  value={channel.to}
                  onChange={({ target }) => change(channel.key, { to: target.value })}
                />
              ) : (
                <TextField
                  label="Webhook address"
                  type="url"
                  autoComplete="off"
                  placeholder={channel.host === null ? 'https://…' : `As stored, at ${channel.host}`}
                  value={channel.url}
                  onChange={({ target }) => change(channel.key, { url: target.value })}
                />
              )}
            </div>
            <IconButton
              label={`Remove channel ${index + 1}`}
              className="mb-0.5"
              onClick={() => onChange(channels.filter((each) => each.key !== channel.key))}
            >
              <Trash2 size={15} aria-hidden />
            </IconButton>
          </div>
        ))}
        <div>
          <Button onClick={() => onChange([...channels, emptyChannel('slack')])}>
            <Plus size={15} aria-hidden />
            Add a channel
          </Button>
        </div>
      </div>
    </FieldGroup>
  );
}
