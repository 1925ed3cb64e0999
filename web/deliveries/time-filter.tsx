import { useState } from 'react';
import { Dialog } from '../ui/dialog/dialog.tsx';
import { TextField } from '../ui/form/field.tsx';
import { FilterMenu } from '../ui/menu/filter-menu.tsx';
import { Form } from '../ui/form/form.tsx';
import type { DeliveryFilter } from './delivery-search.ts';
import { localTime, timeRangeText, toLocalTime } from './time-range.ts';

type TimeRange = Pick<DeliveryFilter, 'from' | 'to'>;

const hourMs = 3_600_000;
const spans = [
  { value: String(hourMs), label: 'Last hour' },
  { value: String(24 * hourMs), label: 'Last 24 hours' },
  { value: String(7 * 24 * hourMs), label: 'Last 7 days' },
];
const own = { value: 'own', label: 'Choose times…' };

/** Filters by the time of receipt: a recent period or a custom range. */
export function TimeFilter({ range, onChange }: { range: TimeRange; onChange: (range: TimeRange) => void }) {
  const [isChoosing, setChoosing] = useState(false);
  const choose = (value: string | undefined): void => {
    if (value === own.value) setChoosing(true);
    else if (value === undefined) onChange({ from: undefined, to: undefined });
    else onChange({ from: new Date(Date.now() - Number(value)).toISOString(), to: undefined });
  };
  return (
    <>
      <FilterMenu name="Time" value={timeRangeText(range)} groups={[spans, [own]]} onChoose={choose} />
      {isChoosing && <TimesDialog range={range} onChange={onChange} onClose={() => setChoosing(false)} />}
    </>
  );
}

function TimesDialog({
  range,
  onChange,
  onClose,
}: {
  range: TimeRange;
  onChange: (range: TimeRange) => void;
  onClose: () => void;
}) {
  const [from, setFrom] = useState(toLocalTime(range.from));
  const [to, setTo] = useState(toLocalTime(range.to));
  const isBackwards = from !== '' && to !== '' && from >= to;
  return (
    <Dialog title="Time of receipt" leaving="closes" onClose={onClose}>
      <Form
        submit="Show deliveries"
        isPending={false}
        error={null}
        onSubmit={() => {
          onChange({ from: localTime(from), to: localTime(to) });
          onClose();
        }}
      >
        <TextField
          type="datetime-local"
          label="From"
          hint="In your time zone. Leave a field empty for no limit."
          value={from}
          onChange={({ target }) => setFrom(target.value)}
        />
        <TextField
          type="datetime-local"
          name="to"
          label="Until"
          problem={isBackwards ? 'Choose a time after the start.' : undefined}
          value={to}
          onChange={({ target }) => setTo(target.value)}
        />
      </Form>
    </Dialog>
  );
}
