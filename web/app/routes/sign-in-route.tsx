import { getRouteApi } from '@tanstack/react-router';
import { SignInPage } from '../../identity/sign-in-page.tsx';

const route = getRouteApi('/sign-in');

export function SignInRoute() {
  const { error, to } = route.useSearch();
  return <SignInPage error={error} to={to} />;
}
