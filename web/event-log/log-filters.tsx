import { severities as severityValues } from '#contract/deliveries/event-log.ts';
import { FilterMenu } from '../ui/menu/filter-menu.tsx';
import { pill } from '../ui/menu/pill.ts';
import { SearchField } from '../ui/form/search-field.tsx';
import { logGroups, type LogFilter, type LogGroup } from './log-search.ts';
import { severities } from './entry/severity.tsx';

const unreadDefinition =
  'Unread is what concerns you: your runs and pull requests, workflows that you own, incidents that you acknowledged or are assigned to, rules that mail you, what others did about you and, for admins, problems of the integration.';

/** The filters of the event log. */
export function LogFilters({
  filter: { q, type, severity, unread },
  onChange,
}: {
  filter: LogFilter;
  /** `isTyping` adds no history step. */
  onChange: (change: LogFilter, isTyping?: boolean) => void;
}) {
  return (
    <search className="contents">
      <SearchField
        label="Search the log"
        value={q ?? ''}
        onChange={(text) => onChange({ q: text.trim() === '' ? undefined : text }, true)}
      />
      <FilterMenu
        name="About"
        value={type}
        groups={[Object.entries(logGroups).map(([value, label]) => ({ value, label }))]}
        onChoose={(chosen) => onChange({ type: chosen as LogGroup | undefined })}
      />
      <FilterMenu
        name="Severity"
        value={severity}
        groups={[severityValues.map((value) => ({ value, label: severities[value].word }))]}
        onChoose={(chosen) => onChange({ severity: severityValues.find((each) => each === chosen) })}
      />
      <button
        type="button"
        aria-pressed={unread === true}
        title={unreadDefinition}
        className={unread === true ? `${pill.set} font-semibold` : pill.open}
        onClick={() => onChange({ unread: unread === true ? undefined : true })}
      >
        Unread only
      </button>
    </search>
  );
}
