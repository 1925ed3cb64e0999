import { Message } from '../ui/message.tsx';

export function AcceptPage() {
  return <Message title="Not here yet" />;
}
