import { Message } from '../ui/message.tsx';

export function AccountPage() {
  return <Message title="Not here yet" />;
}
