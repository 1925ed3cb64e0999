import { inTurn, median, ratioResult } from '../../results/pairs.ts';
import { freshEvents, makePipeline, type Pipeline } from '../../pipeline.ts';
import type { Budget } from '../../types.ts';

export const p5: Budget = {
  id: 'P5',
  what: 'the same with a single integration, against 200',
  run: async (bench) => {
    const [one, many] = [await makePipeline(bench, 1), await makePipeline(bench, 200)];
    await window(one, 500);
    await window(many, 10);
    const pairs = await inTurn(
      bench,
      bench.isQuick ? 5 : 7,
      () => window(one, 1500),
      () => window(many, 15),
    );
    return [
      ratioResult(
        p5,
        pairs,
        { atLeast: 0.5 },
        {
          note: `${median(pairs.map(({ product }) => product)).toFixed(0)}/s`,
        },
      ),
    ];
  },
};

/** Events a second. */
async function window(pipeline: Pipeline, eventsOfEach: number): Promise<number> {
  const events = freshEvents(pipeline.integrationIds, eventsOfEach);
  await pipeline.fill(events);
  return pipeline.drain(events.length);
}
