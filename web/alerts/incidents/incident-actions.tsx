import { useQuery } from '@tanstack/react-query';
import AlarmClock from 'lucide-react/icons/alarm-clock';
import CircleX from 'lucide-react/icons/circle-x';
import Undo2 from 'lucide-react/icons/undo-2';
import UserRound from 'lucide-react/icons/user-round';
import { useState } from 'react';
import type { Incident } from '#contract/alerts/incidents.ts';
import { membersQuery } from '../../members/members-queries.ts';
import { personName } from '../../members/person-name.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ChoiceMenu } from '../../ui/menu/menu.tsx';
import { NotifyMe } from '../notify-me.tsx';
import type { NotifySearch } from '../notify-search.ts';
import { snoozeChoices } from './snooze-choices.ts';
import type { Change } from './undo-change.ts';

interface ActionProps {
  incident: Incident;
  /** What the incident is about, for the names of the buttons. */
  name: string;
  onChange: (change: Change) => void;
}

const menuLook =
  'inline-flex h-7 w-7 items-center justify-center rounded-md border border-transparent text-muted hover:bg-hover hover:text-text pointer-coarse:h-9 pointer-coarse:w-9';

/** The actions on an incident; an open menu of actions stays above the link of its row. */
export function IncidentActions({
  integrationId,
  onClose,
  ...props
}: ActionProps & { integrationId: string; onClose: () => void }) {
  const { incident, name, onChange } = props;
  const isAcknowledged = incident.acknowledged !== null;
  if (incident.status === 'closed')
    return incident.closeReason === 'closed' ? (
      <IconButton label={`Reopen ${name}`} onClick={() => onChange({ status: 'open' })}>
        <Undo2 size={15} aria-hidden />
      </IconButton>
    ) : null;
  return (
    <span className="relative z-1 inline-flex items-center">
      <Button
        aria-label={`${isAcknowledged ? 'Unacknowledge' : 'Acknowledge'} ${name}`}
        className="mr-1"
        onClick={() => onChange({ acknowledged: !isAcknowledged })}
      >
        {isAcknowledged ? 'Unacknowledge' : 'Acknowledge'}
      </Button>
      <AssignMenu integrationId={integrationId} {...props} />
      <SnoozeMenu {...props} />
      <NotifyMe about={name} search={placeOf(incident)} />
      <IconButton label={`Close ${name}…`} onClick={onClose}>
        <CircleX size={15} aria-hidden />
      </IconButton>
    </span>
  );
}

/** The filter of a rule about incidents like this one. */
function placeOf({ kind, repository, workflow, branch }: Incident): NotifySearch {
  const watch = kind === 'failure' ? undefined : kind;
  return { watch, repository, workflow: workflow ?? undefined, branch: branch ?? undefined };
}

const nobody = 'nobody';

function AssignMenu({ integrationId, incident, name, onChange }: ActionProps & { integrationId: string }) {
  const [isOpen, setOpen] = useState(false);
  const { data, isError } = useQuery({ ...membersQuery(integrationId), enabled: isOpen });
  const members = (data ?? []).map(({ user }) => ({ value: user.userId, label: personName(user) }));
  return (
    <ChoiceMenu
      className={menuLook}
      label={`Assign ${name} to`}
      value={incident.assignee?.userId ?? nobody}
      groups={[[{ value: nobody, label: 'Nobody' }], members]}
      note={data === undefined && (isError ? 'The members could not be loaded.' : 'Loading members…')}
      onOpenChange={setOpen}
      onChoose={(value) => onChange({ assigneeId: value === nobody ? null : value })}
    >
      <span title="Assign">
        <UserRound size={15} aria-hidden />
        <span className="sr-only">Assign {name}</span>
      </span>
    </ChoiceMenu>
  );
}

function SnoozeMenu({ incident, name, onChange }: ActionProps) {
  return (
    <ChoiceMenu
      className={menuLook}
      label={`Snooze ${name}`}
      value=""
      groups={[snoozeChoices.map(({ label }) => ({ value: label, label }))]}
      actions={
        incident.snoozedUntil === null
          ? []
          : [{ label: 'End snooze', onAct: () => onChange({ snoozedUntil: null }) }]
      }
      onChoose={(chosen) => {
        const until = snoozeChoices.find(({ label }) => label === chosen)?.until(new Date());
        if (until !== undefined) onChange({ snoozedUntil: until.toISOString() });
      }}
    >
      <span title="Snooze">
        <AlarmClock size={15} aria-hidden />
        <span className="sr-only">Snooze {name}</span>
      </span>
    </ChoiceMenu>
  );
}
