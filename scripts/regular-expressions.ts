import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import ts from 'typescript';

/* npm run check: proves that every regular expression of the service matches in linear time on any text. It refuses
   a pattern that is built at run time, and one that recheck's automata cannot judge (look-around, back-references),
   as nothing proves them. A global pattern is judged per match. */

/** Verdict of recheck on a pattern. recheck belongs to the package of tools, which `npm run check` installs. */
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
  /** Undefined for a pattern that is built at run time. */
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
