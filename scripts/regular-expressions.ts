import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import ts from 'typescript';

/*
 * npm run check: proves of every regular expression of the service that matching takes linear time, whatever the text. A
 * pattern that is made at run time, and one that recheck's automata cannot judge (look-around, back-references), is refused:
 * nothing proves it. Global patterns are judged one match at a time.
 */

/** Verdict of recheck on a pattern. recheck is in the package of tools, which `npm run check` installs. */
type Verdict =
  | { status: 'safe' }
  | { status: 'vulnerable'; complexity: { summary: string } }
  | { status: 'unknown'; error: { kind: string } };
const { checkSync } = createRequire(`${process.cwd()}/tools/`)('recheck') as {
  checkSync(source: string, flags: string, options: { checker: 'automaton'; timeout: number }): Verdict;
};

const timeout = 60_000;

interface Found {
  readonly place: string;
  readonly text: string;
  /** Undefined for a pattern that is made at run time. */
  readonly literal?: readonly [source: string, flags: string];
}

const verdictOf = ({ literal }: Found): string | undefined => {
  if (literal === undefined) return 'is made at run time';
  const result = checkSync(...literal, { checker: 'automaton', timeout });
  if (result.status === 'safe') return undefined;
  return result.status === 'vulnerable'
    ? `takes ${result.complexity.summary} time`
    : `cannot be judged: ${result.error.kind}`;
};

const faults = globSync('src/**/*.ts')
  .flatMap(patternsOf)
  .flatMap((found) => {
    const verdict = verdictOf(found);
    return verdict === undefined ? [] : [`${found.place} ${found.text} ${verdict}`];
  });
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;

function patternsOf(path: string): Found[] {
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const found: Found[] = [];
  const visit = (node: ts.Node): void => {
    const place = `${path}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
    const text = node.getText();
    if (ts.isRegularExpressionLiteral(node)) {
      const end = text.lastIndexOf('/');
      found.push({ place, text, literal: [text.slice(1, end), text.slice(end + 1)] });
    }
    if (ts.isIdentifier(node) && text === 'RegExp' && !ts.isTypeReferenceNode(node.parent)) found.push({ place, text });
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}
