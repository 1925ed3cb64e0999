import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const root = path.join(import.meta.dirname, '..');

/** Recorded payloads, licences and lock files are other people's text; this file quotes what it refuses. */
const foreign = /^(?:LICENSE|package-lock\.json|test\/vectors\/|test\/language\.test\.ts$)/;
const isText = /\.(?:md|ts|tsx|js|sql|css|html|json|ya?ml|sh|conf)$|\/[A-Z][a-z]+file$|^\.ci\//;

interface Rule {
  pattern: RegExp;
  instead: string;
}

/** Words and references that CONTRIBUTING.md rules out, with what to write in their place. */
const rules: readonly Rule[] = [
  {
    pattern: /\bA-\d{2}\b/,
    instead: 'give the reason itself: requirement numbers are not in this repository',
  },
  { pattern: /\bspecification (?:section )?\d/i, instead: 'give the reason itself' },
  { pattern: /(?<![\w/])design\/\w/, instead: 'link a page of docs/' },
  { pattern: /\bwhoever\b/i, instead: 'name the subject: "a person who", "the caller"' },
  { pattern: /\banew\b/i, instead: 'again' },
  {
    pattern: /\bheld against\b|\bhold(?:s|ing)?\b.{0,40}\bagainst the rules\b/i,
    instead: 'evaluate, compare',
  },
  { pattern: /\b(?:is|are|was|were|be) told of\b/i, instead: 'is notified about, receives' },
  { pattern: /\bmend(?:s|ed|ing)?\b/i, instead: 'fix, resolve, repair' },
  { pattern: /\bnoughts?\b/i, instead: 'zero' },
  { pattern: /\bbe it that\b/i, instead: 'whether' },
  { pattern: /\b(?:for )?so long\b(?! as)/i, instead: 'that long, for this time' },
  { pattern: /\bbut for\b/i, instead: 'except' },
  { pattern: /\bas before, but\b/i, instead: 'say what holds; history belongs in commits' },
];

const files = globSync(
  '{*,.ci/*,{bin,contract,deploy,docs,migrations,platform,scripts,server,test,web}/**/*}',
  { cwd: root },
).filter((file) => isText.test(file) && !foreign.test(file));
const linesOf = (file: string): string[] => readFileSync(path.join(root, file), 'utf8').split('\n');

test('texts, comments and names use plain words', () => {
  const found = files.flatMap((file) =>
    linesOf(file).flatMap((line, index) =>
      rules
        .filter(({ pattern }) => pattern.test(line))
        .map(({ instead }) => `${file}:${index + 1}: ${line.trim().slice(0, 80)} -> ${instead}`),
    ),
  );
  assert.deepEqual(found, []);
});

test('names of tests begin with their subject', () => {
  const pronoun = /\btest\(\s*['"`](?:who|whose|what|where)\b.*/gi;
  const found = files
    .filter((file) => file.endsWith('.test.ts'))
    .flatMap((file) =>
      [...readFileSync(path.join(root, file), 'utf8').matchAll(pronoun)].map(([name]) => `${file}: ${name}`),
    );
  assert.deepEqual(found, []);
});

test('comments name only files that exist', () => {
  const named =
    /(?<![\w./@-])((?:bin|contract|deploy|docs|migrations|platform|scripts|server|test|web)\/[\w./*-]*\.(?:ts|tsx|sql|md|json|ya?ml))\b/g;
  const missing = files
    .filter((file) => /\.(?:ts|tsx|sql|css)$/.test(file))
    .flatMap((file) =>
      linesOf(file).flatMap((line, index) => {
        const comment = /(?:^|\s)(?:\/\/|\/?\*|--)\s(.*)/.exec(line)?.[1] ?? '';
        return [...comment.matchAll(named)]
          .filter(([, name = '']) => globSync(name, { cwd: root }).length === 0)
          .map(([, name]) => `${file}:${index + 1}: ${name}`);
      }),
    );
  assert.deepEqual(missing, []);
});

/** The rule applies to the commits after this one. */
const firstCommit = '2e0f2a2';

test('subjects of commits fit into 72 characters and begin with their area', (t) => {
  let subjects: string[];
  try {
    const args = ['log', '--no-merges', '--format=%s', `${firstCommit}..HEAD`];
    subjects = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
  } catch {
    return t.skip('the history is not here: a shallow clone, or an archive');
  }
  const wrong = subjects.filter(
    (subject) => subject.length > 72 || !/^[a-z][\w ,./-]*: [a-zA-Z`"]/.test(subject),
  );
  assert.deepEqual(wrong, []);
});
