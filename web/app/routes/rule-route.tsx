import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { RulePage } from '../../alerts/rule-page/rule-page.tsx';
import { readNotifySearch } from '../../alerts/notify-search.ts';
import { useClose } from '../use-close.ts';

/** A new rule, or the one of the address. */
export function RuleRoute() {
  const { integrationId = '', ruleId } = useParams({ strict: false });
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const close = useClose(
    () => void navigate({ to: '/integrations/$integrationId/rules', params: { integrationId } }),
  );
  return (
    <RulePage
      key={ruleId}
      integrationId={integrationId}
      ruleId={ruleId}
      about={readNotifySearch(search)}
      onClose={close}
    />
  );
}
