import { useQuery } from '@tanstack/react-query';
import { BackLink, UnknownItem } from '../../ui/page/back-link.tsx';
import { Loaded } from '../../ui/page/loaded.tsx';
import { PageBody } from '../../ui/page/page-body.tsx';
import { PageHeader, PageTitle } from '../../ui/page/page-header.tsx';
import { TextLink } from '../../ui/text/text-link.tsx';
import { useShortcuts } from '../../ui/keyboard/use-shortcuts.ts';
import { useUser } from '../../identity/use-user.ts';
import { rulesQuery } from '../alert-queries.ts';
import type { NotifySearch } from '../notify-search.ts';
import { notifyDraft } from '../rule-form/rule-draft.ts';
import { RuleEditor } from './rule-editor.tsx';

/** Creates a rule, or edits the one with `ruleId`. */
export function RulePage({
  integrationId,
  ruleId,
  about,
  onClose,
}: {
  integrationId: string;
  ruleId: string | undefined;
  /** What a new rule is about. */
  about: NotifySearch;
  /** Back to the list. */
  onClose: () => void;
}) {
  const reading = useQuery(rulesQuery(integrationId));
  const user = useUser();
  useShortcuts({ Escape: onClose });
  return (
    <>
      <PageHeader
        title={
          <>
            <BackLink integrationId={integrationId} list="rules" onClose={onClose} />
            <PageTitle>{ruleId === undefined ? 'New notification rule' : 'Edit notification rule'}</PageTitle>
          </>
        }
        end={<TextLink to="/account">Mails about my runs</TextLink>}
      />
      <PageBody>
        <Loaded reading={reading} what="rules">
          {(rules) => {
            const rule = rules.find((each) => each.ruleId === ruleId);
            if (rule === undefined && ruleId !== undefined)
              return <UnknownItem integrationId={integrationId} list="rules" what="Rule" />;
            if (user.isPending) return null;
            const start = notifyDraft(about, user.data?.email ?? null);
            return (
              <RuleEditor
                integrationId={integrationId}
                rule={rule}
                start={start}
                rules={rules}
                onClose={onClose}
              />
            );
          }}
        </Loaded>
      </PageBody>
    </>
  );
}
