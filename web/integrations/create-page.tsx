import { Message } from '../ui/message.tsx';

export function CreatePage() {
  return <Message title="Not here yet" />;
}
