import { PageHeader, PageTitle } from '../ui/page-header.tsx';
import { Message } from '../ui/message.tsx';
import { PageBody } from '../ui/page-body.tsx';

/** A page that is being made. */
export function Scaffold({ title }: { title: string }) {
  return (
    <>
      <PageHeader title={<PageTitle>{title}</PageTitle>} end={null} />
      <PageBody>
        <Message title="Not here yet" />
      </PageBody>
    </>
  );
}
