import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { check, hunt, type Finding } from './hunt.ts';
import { runCase, type AnyCase, type Ground } from './run-case.ts';
import { askProduct } from './product/ask.ts';

/**
 * Sends cases to the product in the process that started this one, from a process of its own, so that generating them takes no time
 * of the product's event loop. Ends with 1 when something was found.
 */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    // Of each family. Without it the families send until the seconds are over.
    cases: { type: 'string' },
    seed: { type: 'string', default: '' },
    family: { type: 'string', default: '' },
    path: { type: 'string', default: '' },
    vectors: { type: 'string', default: '' },
  },
});
const say = (text: string): void => void process.stdout.write(`${text}\n`);

const product = askProduct();
const surroundings = await product.surroundings();
const ground: Ground = {
  product,
  surroundings,
  world: await product.world(),
  cases: 1,
  slowestMs: 0,
  rssMb: 0,
  heapMb: Infinity,
};
const seed = values.seed === '' ? Math.trunc(Math.random() * 2 ** 30) : Number(values.seed);

const findings = await find();
for (const finding of findings) report(finding);
say(summary());
process.exit(findings.length === 0 ? 0 : 1);

async function find(): Promise<Finding[]> {
  if (values.vectors !== '') return replay(values.vectors);
  if (values.family !== '') {
    const found = await check(ground, values.family, {
      seed,
      path: values.path,
      endOnFailure: values.path !== '',
    });
    return found === undefined ? [] : [found];
  }
  say(`seed ${seed}`);
  const until = Date.now() + Number(values.seconds) * 1000;
  let told = Date.now();
  const tell = (): void => {
    if (Date.now() - told < 10_000) return;
    told = Date.now();
    say(summary());
  };
  const cases = values.cases === undefined ? undefined : Number(values.cases);
  return hunt(ground, { seed, until, cases, tell });
}

async function replay(file: string): Promise<Finding[]> {
  const vectors = JSON.parse(readFileSync(file, 'utf8')) as { found: string; case: AnyCase }[];
  const failed: Finding[] = [];
  for (const { found, case: each } of vectors) {
    await runCase(ground, each).catch((error: Error) =>
      failed.push({ family: 'vectors', seed: 0, path: found, message: error.message, case: each }),
    );
  }
  return failed;
}

function summary(): string {
  const { cases, slowestMs, rssMb, heapMb } = ground;
  ground.heapMb = Infinity;
  return `fuzz: ${cases} cases, longest turn ${slowestMs.toFixed(0)} ms, ${rssMb.toFixed(0)} MB (heap ${heapMb.toFixed(0)}), seed ${seed}`;
}

function report({ family, seed: its, path, message, case: each }: Finding): void {
  say(`\n${message}\n${JSON.stringify(each)}`);
  if (family !== 'vectors') say(`Again: npm run fuzz -- --family ${family} --seed ${its} --path ${path}\n`);
}
