import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'smol-toml';
import { convertRule, type GitleaksRule } from './masking-rules/convert-rule.ts';
import { leftOut, replaced } from './masking-rules/selection.ts';

const target = path.join(import.meta.dirname, '../server/masking/vendor-rules.json');

const { positionals, values } = parseArgs({ allowPositionals: true, options: { from: { type: 'string' } } });
const [version] = positionals;
if (version === undefined || !/^v\d+\.\d+\.\d+$/.test(version)) {
  console.error('Usage: npm run masking-rules -- v8.30.1 [--from <folder with a checkout of that version>]');
  process.exit(2);
}

const [toml, licence] = await Promise.all(['config/gitleaks.toml', 'LICENSE'].map(read));
const { rules } = parse(toml ?? '') as unknown as { rules: GitleaksRule[] };
const unknown = Object.keys({ ...leftOut, ...replaced }).filter(
  (id) => !rules.some((rule) => rule.id === id),
);
if (unknown.length > 0) console.warn(`not in this version, remove from the selection: ${unknown.join(', ')}`);

const converted = rules.flatMap((rule) => {
  const regex = replaced[rule.id] ?? rule.regex;
  if (leftOut[rule.id] !== undefined || regex === undefined) return [];
  try {
    return convertRule(rule, regex);
  } catch (error) {
    console.warn(`${rule.id} is left out: ${error instanceof Error ? error.message : String(error)}`);
    return [];
  }
});
await writeFile(target, format(converted));
console.log(
  `${converted.length} of ${rules.length} rules of gitleaks ${version} are in ${path.relative('', target)}`,
);

async function read(file: string): Promise<string> {
  if (values.from !== undefined) return readFile(path.join(values.from, file), 'utf8');
  const response = await fetch(`https://raw.githubusercontent.com/gitleaks/gitleaks/${version}/${file}`);
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}`);
  return response.text();
}

/** One rule a line, so that a difference of two versions can be read. The licence asks for its text. */
function format(lines: readonly object[]): string {
  const notice = (licence ?? '').trim().split('\n');
  return `{
  "source": "gitleaks ${version}, config/gitleaks.toml, converted by scripts/masking-rules.ts",
  "licence": ${JSON.stringify(notice, null, 2).replaceAll('\n', '\n  ')},
  "rules": [
${lines.map((line) => `    ${JSON.stringify(line)}`).join(',\n')}
  ]
}
`;
}
