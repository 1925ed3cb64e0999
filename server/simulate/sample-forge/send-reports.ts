import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { readSampleGeneration } from '#server/sample-data/begin-samples.ts';
import type { SampleReport } from './job-report.ts';

/** Stores a report of tests as if a job had uploaded it. */
export type ReceiveSampleReport = (
  integrationId: string,
  query: Omit<SampleReport, 'report'>,
  bytes: Buffer,
) => Promise<unknown>;

interface ReportSenderDeps extends Pick<SharedDeps, 'db' | 'log'> {
  receiveReport: ReceiveSampleReport;
}

/** Reports that wait. Traffic that is faster than their storage leaves some out. */
const mostWaiting = 500;

/** Uploads reports one after the other, because an integration may upload few at the same time. */
export function makeReportSender({ db, log, receiveReport }: ReportSenderDeps) {
  let last = Promise.resolve();
  let waiting = 0;
  let isStopped = false;
  const upload = async (integrationId: string, { report, ...query }: SampleReport): Promise<void> => {
    // The sample data may have been removed meanwhile.
    if (isStopped || (await readSampleGeneration(db, integrationId)) === undefined) return;
    await receiveReport(integrationId, query, Buffer.from(report));
  };
  return {
    send: (integrationId: string, report: SampleReport): void => {
      if (waiting >= mostWaiting) return;
      waiting += 1;
      last = last
        .then(() => upload(integrationId, report))
        .catch((error: unknown) => log.warn({ err: error, integrationId }, 'sample report failed'))
        .finally(() => {
          waiting -= 1;
        });
    },
    stop: async (): Promise<void> => {
      isStopped = true;
      await last;
    },
  };
}
