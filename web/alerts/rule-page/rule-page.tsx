import { useQuery } from '@tanstack/react-query';
import { BackLink } from '../../ui/page/back-link.tsx';
import { Loaded } from '../../ui/page/loaded.tsx';
import { Message } from '../../ui/page/message.tsx';
import { PageBody } from '../../ui/page/page-body.tsx';
import { PageHeader, PageTitle } from '../../ui/page/page-header.tsx';
import { TextLink } from '../../ui/text/text-link.tsx';
import { useShortcuts } from '../../ui/keyboard/use-shortcuts.ts';
import { rulesQuery } from '../alert-queries.ts';
import { RuleEditor } from './rule-editor.tsx';

/** Creates a rule, or edits the one with `ruleId`. */
export function RulePage({
  integrationId,
  ruleId,
  onClose,
}: {
  integrationId: string;
  ruleId: string | undefined;
  /** Back to the list. */
  onClose: () => void;
}) {
  const reading = useQuery(rulesQuery(integrationId));
  useShortcuts({ Escape: onClose });
  return (
    <>
      <PageHeader
        title={
          <>
            <BackLink
              integrationId={integrationId}
              to="/integrations/$integrationId/rules"
              name="notification rules"
              onClose={onClose}
            />
            <PageTitle>{ruleId === undefined ? 'New notification rule' : 'Edit notification rule'}</PageTitle>
          </>
        }
        end={<TextLink to="/account">Mails about my runs</TextLink>}
      />
      <PageBody>
        <Loaded reading={reading} what="rules">
          {(rules) => {
            const rule = rules.find((each) => each.ruleId === ruleId);
            if (rule === undefined && ruleId !== undefined) return <NoRule integrationId={integrationId} />;
            return <RuleEditor integrationId={integrationId} rule={rule} rules={rules} onClose={onClose} />;
          }}
        </Loaded>
      </PageBody>
    </>
  );
}

function NoRule({ integrationId }: { integrationId: string }) {
  return (
    <Message title="Rule not found">
      <p className="text-muted">It was deleted, or belongs to another integration.</p>
      <TextLink to="/integrations/$integrationId/rules" params={{ integrationId }}>
        View notification rules
      </TextLink>
    </Message>
  );
}
