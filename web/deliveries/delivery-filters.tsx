import { deliveryVerdicts } from '#contract/deliveries/deliveries.ts';
import { FilterMenu } from '../ui/menu/filter-menu.tsx';
import { SearchField } from '../ui/form/search-field.tsx';
import { TimeFilter } from '../ui/form/time-filter.tsx';
import { deliveryEvents, type DeliveryFilter } from './delivery-search.ts';
import { verdicts } from './verdict-mark.tsx';

/** Changes part of the filter. `isTyping` adds no history step. */
export type ChangeFilter = (change: DeliveryFilter, isTyping?: boolean) => void;

/** The filters of the delivery list. */
export function DeliveryFilters({
  filter: { q, event, verdict, from, to },
  onChange,
}: {
  filter: DeliveryFilter;
  onChange: ChangeFilter;
}) {
  return (
    <search className="contents">
      <SearchField
        label="Search by ID"
        value={q ?? ''}
        onChange={(text) => onChange({ q: text.trim() === '' ? undefined : text.trim() }, true)}
      />
      <FilterMenu
        name="Event"
        value={event}
        groups={[deliveryEvents.map((value) => ({ value, label: value }))]}
        onChoose={(chosen) => onChange({ event: deliveryEvents.find((each) => each === chosen) })}
      />
      <FilterMenu
        name="Result"
        value={verdict}
        groups={[deliveryVerdicts.map((value) => ({ value, label: verdicts[value].word }))]}
        onChoose={(chosen) => onChange({ verdict: deliveryVerdicts.find((each) => each === chosen) })}
      />
      <TimeFilter title="Time of receipt" submit="Show deliveries" range={{ from, to }} onChange={onChange} />
    </search>
  );
}
