import { useState, type ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import AlarmClock from 'lucide-react/icons/alarm-clock';
import CircleX from 'lucide-react/icons/circle-x';
import Undo2 from 'lucide-react/icons/undo-2';
import UserRound from 'lucide-react/icons/user-round';
import type { Incident } from '#contract/alerts/incidents.ts';
import { useRoleReason } from '../../integrations/use-integration.ts';
import { PageError } from '../../ui/form/form.tsx';
import { lazyPart } from '../../ui/page/lazy-part.tsx';
import { membersQuery } from '../../members/members-queries.ts';
import { personName } from '../../members/person-name.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ChoiceMenu } from '../../ui/menu/menu.tsx';
import { NotifyMe } from '../notify-me.tsx';
import type { NotifySearch } from '../notify-search.ts';
import { incidentName } from './incident-texts.ts';
import type { Change } from './undo-change.ts';
import { useChangeIncident } from './use-incidents.ts';
import { snoozeChoices } from './snooze-choices.ts';

const CloseDialog = lazyPart('close-dialog', 'CloseDialog', () => import('./close-dialog.tsx'));

/** What a list of incidents needs to change them: buttons, the last error, and the dialog that asks for a note. */
export function useIncidentActions(integrationId: string, onBegin = (_incident: Incident) => {}) {
  const [closing, setClosing] = useState<Incident>();
  const { change: send, error } = useChangeIncident(integrationId);
  const begin = (incident: Incident, wanted: Change) => {
    onBegin(incident);
    return send(incident, wanted);
  };
  const mayChange = useRoleReason(integrationId, 'member') === undefined;
  const change = (incident: Incident, wanted: Change): void =>
    // The error is shown above the list.
    void begin(incident, wanted).catch(() => {});
  const renderActions = (incident: Incident): ReactNode => (
    <IncidentActions
      integrationId={integrationId}
      incident={incident}
      name={incidentName(incident)}
      onChange={(wanted) => change(incident, wanted)}
      onClose={() => setClosing(incident)}
    />
  );
  return {
    mayChange,
    change,
    renderActions,
    error: <PageError error={error} />,
    dialog: closing && (
      <CloseDialog
        name={incidentName(closing)}
        onChange={(wanted) => begin(closing, wanted)}
        onClose={() => setClosing(undefined)}
      />
    ),
  };
}

interface ActionProps {
  incident: Incident;
  /** What the incident is about, for the names of the buttons. */
  name: string;
  onChange: (change: Change) => void;
}

const menuLook =
  'inline-flex h-7 w-7 items-center justify-center rounded-md border border-transparent text-muted hover:bg-hover hover:text-text pointer-coarse:h-9 pointer-coarse:w-9';

/** The actions on an incident; an open menu of actions stays above the link of its row. */
function IncidentActions({
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
    <span className="relative z-1 inline-flex items-center max-xl:flex-wrap max-xl:justify-end">
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
