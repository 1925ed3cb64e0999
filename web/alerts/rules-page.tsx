import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import Plus from 'lucide-react/icons/plus';
import { useState } from 'react';
import type { NotificationRule, TestSendAnswer } from '#contract/alerts/alerts.ts';
import { sendJson } from '../api/client.ts';
import { useRoleReason } from '../integrations/use-integration.ts';
import { Button, primaryLink } from '../ui/button.tsx';
import { PageError } from '../ui/form/form.tsx';
import { lazyPart } from '../ui/page/lazy-part.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Message } from '../ui/page/message.tsx';
import { PageBody } from '../ui/page/page-body.tsx';
import { PageHeader, PageTitle } from '../ui/page/page-header.tsx';
import { rulesPath } from './alert-paths.ts';
import { rulesQuery } from './alert-queries.ts';
import type { OpenRuleDialog } from './rule-dialogs.tsx';
import { RuleTable } from './rule-table.tsx';
import { TestResults } from './test-results.tsx';

const RuleDialogs = lazyPart('rule-dialogs', 'RuleDialogs', () => import('./rule-dialogs.tsx'));

/** Notification rules. */
export function RulesPage({ integrationId }: { integrationId: string }) {
  const [open, setOpen] = useState<OpenRuleDialog>();
  const reading = useQuery(rulesQuery(integrationId));
  const reason = useRoleReason(integrationId, 'member');
  const test = useMutation({
    mutationFn: async (rule: NotificationRule) => ({
      rule,
      ...(await sendJson<TestSendAnswer>('POST', `${rulesPath(integrationId)}/${rule.ruleId}/test`)),
    }),
  });
  return (
    <>
      <PageHeader
        title={<PageTitle>Notification rules</PageTitle>}
        end={<NewRule integrationId={integrationId} reason={reason} />}
      />
      <PageBody>
        <PageError error={test.error} />
        {test.data && (
          <div className="border-b border-line px-4 py-3">
            <TestResults ruleName={test.data.rule.name} results={test.data.results} />
          </div>
        )}
        <Loaded reading={reading} what="rules" skeletonRows={3}>
          {(rules) =>
            rules.length === 0 ? (
              <Message title="No notification rules">
                <p className="text-muted">
                  A rule defines which failures matter and who is notified: by e-mail, in a chat or at your
                  own webhook.
                </p>
              </Message>
            ) : (
              <RuleTable
                integrationId={integrationId}
                rules={rules}
                reason={reason}
                isTesting={test.isPending}
                onTest={(rule) => test.mutate(rule)}
                onHistory={(rule) => setOpen({ what: 'history', rule })}
                onDelete={(rule) => setOpen({ what: 'deletion', rule })}
              />
            )
          }
        </Loaded>
      </PageBody>
      {open && <RuleDialogs integrationId={integrationId} open={open} onClose={() => setOpen(undefined)} />}
    </>
  );
}

function NewRule({ integrationId, reason }: { integrationId: string; reason: string | undefined }) {
  if (reason !== undefined)
    return (
      <Button variant="primary" reason={reason}>
        <Plus size={15} aria-hidden />
        New rule
      </Button>
    );
  return (
    <Link
      to="/integrations/$integrationId/rules/new"
      params={{ integrationId }}
      state={{ isFromList: true }}
      className={primaryLink}
    >
      <Plus size={15} aria-hidden />
      New rule
    </Link>
  );
}
