import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import type { Node, SourceFile } from 'typescript/unstable/ast';
import {
  isBinaryExpression,
  isCallExpression,
  isConditionalExpression,
  isExpressionStatement,
  isIdentifier,
  isParenthesizedExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isVariableDeclaration,
  isVoidExpression,
  type CallExpression,
} from 'typescript/unstable/ast';
import { API, type Checker } from 'typescript/unstable/sync';

const root = path.join(import.meta.dirname, '..');

test('a promise of a transaction that is not awaited at once is sent ahead', () => {
  using api = openApi();
  const [project] = api.compiler
    .updateSnapshot({ openProject: path.join(root, 'tsconfig.json') })
    .getProjects();
  assert.ok(project);
  const { program, checker } = project;
  const files = program.getSourceFileNames().map((file) => path.relative(root, file));
  const sources = files.filter((file) => /^(platform|server)\//.test(file) && !file.endsWith('.test.ts'));
  assert.ok(sources.length > 500);
  const wrong = sources.flatMap((file) => {
    const source = program.getSourceFile(path.join(root, file));
    return source === undefined
      ? []
      : leftAlone(source, checker).map((call) => `${file}: ${call.getText(source)}`);
  });
  assert.deepEqual(wrong, [], 'A rejection ends the process. Use `await` or `sentAhead`.');
});

function openApi() {
  const compiler = new API({ cwd: root });
  return { compiler, [Symbol.dispose]: () => compiler.close() };
}

/** Calls that return a promise which the statement of the call does not wait for, and which may reject without a handler. */
function leftAlone(source: SourceFile, checker: Checker): CallExpression[] {
  const calls: CallExpression[] = [];
  const collect = (node: Node): void => {
    if (isCallExpression(node) && isKept(node) && !isSafe(node)) calls.push(node);
    node.forEachChild(collect);
  };
  collect(source);
  const namesOf = (nodes: readonly Node[]) =>
    checker.getTypeAtLocation(nodes).map((type) => type?.getSymbol()?.name);
  const types = namesOf(calls);
  return calls.filter((call, index) => {
    if (types[index] !== 'Promise') return false;
    if (isExpressionStatement(call.parent)) return true;
    const { expression } = call;
    const receiver = isPropertyAccessExpression(expression) ? [expression.expression] : [];
    return namesOf([...receiver, ...call.arguments]).includes('Tx');
  });
}

/** Whether the result of the call is dropped, or stored for later. */
function isKept(node: Node): boolean {
  const { parent } = node;
  if (isConditionalExpression(parent) || isParenthesizedExpression(parent)) return isKept(parent);
  if (isBinaryExpression(parent)) return parent.right === node && isKept(parent);
  return (
    isExpressionStatement(parent) ||
    isVoidExpression(parent) ||
    isVariableDeclaration(parent) ||
    isPropertyAssignment(parent)
  );
}

/** `Tx.query` marks its promises itself. */
function isSafe({ expression, arguments: given }: CallExpression): boolean {
  if (isIdentifier(expression)) return expression.text === 'sentAhead';
  if (!isPropertyAccessExpression(expression)) return false;
  const name = expression.name.text;
  return name === 'query' || name === 'catch' || (name === 'then' && given.length === 2);
}
