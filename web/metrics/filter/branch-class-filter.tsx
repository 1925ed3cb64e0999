import { branchClasses, type BranchClass } from '#contract/metrics/metrics.ts';
import { FilterMenu } from '../../ui/menu/filter-menu.tsx';

const names: Record<BranchClass, string> = { default: 'Default', other: 'Others' };

/** The default branch, or all others. */
export function BranchClassFilter({
  value,
  onChoose,
}: {
  value: BranchClass | undefined;
  onChoose: (value: BranchClass | undefined) => void;
}) {
  return (
    <FilterMenu
      name="Branch"
      value={value}
      groups={[branchClasses.map((each) => ({ value: each, label: names[each] }))]}
      onChoose={(chosen) => onChoose(branchClasses.find((each) => each === chosen))}
    />
  );
}
