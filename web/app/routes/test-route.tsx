import { getRouteApi } from '@tanstack/react-router';
import { TestPage } from '../../test-results/test-page.tsx';
import { useClose } from '../use-close.ts';

const route = getRouteApi('/integrations/$integrationId/tests/$testId');

export function TestRoute() {
  const { integrationId, testId } = route.useParams();
  const navigate = route.useNavigate();
  const close = useClose(
    () => void navigate({ to: '/integrations/$integrationId/tests', params: { integrationId } }),
  );
  return <TestPage key={testId} integrationId={integrationId} testId={testId} onClose={close} />;
}
