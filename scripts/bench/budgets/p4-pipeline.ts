import { inTurn, median, ratioResult } from '../results/pairs.ts';
import { freshEvents, makePipeline } from '../pipeline.ts';
import { plainUpsert } from '../plain-upsert.ts';
import type { Budget } from '../types.ts';

const integrations = 200;
const eventsOfEach = 15;

export const p4: Budget = {
  id: 'P4',
  what: 'queued events stored, 200 integrations, against a plain upsert of the same rows',
  run: async (bench) => {
    const pipeline = await makePipeline(bench, integrations);
    let events = freshEvents(pipeline.integrationIds, eventsOfEach);
    await pipeline.fill(events);
    await pipeline.drain(events.length);
    await plainUpsert(pipeline.databaseUrl, events, pipeline.concurrency);
    const pairs = await inTurn(
      bench,
      bench.isQuick ? 5 : 7,
      async () => {
        events = freshEvents(pipeline.integrationIds, eventsOfEach);
        await pipeline.fill(events);
        return pipeline.drain(events.length);
      },
      () => plainUpsert(pipeline.databaseUrl, events, pipeline.concurrency),
    );
    return [
      ratioResult(
        p4,
        pairs,
        { atLeast: 0.7 },
        {
          note: `${median(pairs.map(({ product }) => product)).toFixed(0)}/s`,
        },
      ),
    ];
  },
};
