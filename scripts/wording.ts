import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import ts from 'typescript';

/*
 * npm run check: prints file and line of each text that breaks a rule of wording. `--rule NAME`, which may be repeated,
 * runs only the named rules.
 */

/** A text in a file: a comment, a message, a title of a test, or a paragraph of a page. */
interface Passage {
  readonly path: string;
  /** Line of the first character, counted from 1. */
  readonly line: number;
  readonly text: string;
}

/** A title of a test. `completes` is true for an `it` inside a `describe`: together, the two titles form a sentence. */
interface Title extends Passage {
  readonly completes: boolean;
}

const code = ['src', 'console', 'scripts', 'test/support'].flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx}`));
const commented = [...code, ...['bench', 'migrations'].flatMap((folder) => globSync(`${folder}/**/*.ts`))];
const worded = ['src', 'console/src'].flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx}`));
const tests = globSync('test/**/*.test.ts', { exclude: (name) => name === 'node_modules' });
const pages = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', ...globSync('docs/**/*.md')];

/** File names in the repository. A comment may name a file without its folder. */
const names = new Set(
  execFileSync('git', ['ls-files'], { encoding: 'utf8' })
    .split('\n')
    .map((path) => basename(path)),
);

/** Commit after which subjects have an area and at most `subjectLength` characters. */
const base = 'd5402d11';
const subjectLength = 72;
const sentenceLength = 35;

/** Phrases that a reader has to translate. */
const banned = [
  'all the same',
  'anew',
  'as it was got',
  'by turns',
  'careful way',
  'give back',
  'gives back',
  'has to be told',
  'hold nobody up',
  'in their order',
  'is asked of',
  'is told of',
  'it is told',
  'of its own accord',
  'reads as no',
  'so many',
  'stands in for',
  'take off',
  'told of',
  'turn back',
  'usual road',
  'what became of',
  'what is asked',
];

/** Phrases that also spoil a message, a description or a label, where comments may have them. */
const bannedInMessages = ['asked for on', 'goes with it', 'is good for', 'no good', 'time is over'];

const rules: Readonly<Record<string, () => string[]>> = {
  docstrings: () => code.flatMap(commentsOf).flatMap(docstringFaults),
  phrases: () =>
    [...commented.flatMap(commentsOf), ...tests.flatMap(titlesOf), ...pages.flatMap(blocksOf)].flatMap((passage) =>
      phraseFaults(passage),
    ),
  messages: () => worded.flatMap(messagesOf).flatMap(messageFaults),
  titles: () => tests.flatMap(titlesOf).flatMap(titleFaults),
  sentences: () => pages.flatMap(blocksOf).flatMap(sentenceFaults),
  paths: () => [...commented.flatMap(commentsOf), ...pages.flatMap(blocksOf)].flatMap(pathFaults),
  commits: commitFaults,
};

const { values } = parseArgs({ options: { rule: { type: 'string', multiple: true } } });
const faults = (values.rule ?? Object.keys(rules)).flatMap((name) => {
  const rule = rules[name];
  if (rule === undefined) throw new Error(`There is no rule ${name}. The rules are ${Object.keys(rules).join(', ')}.`);
  return rule();
});
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;

function docstringFaults({ path, line, text }: Passage): string[] {
  const first = /^\/\*\*[\s*]*(What|Where|Who|How|Told|So many)\b/.exec(text)?.[1];
  return first === undefined ? [] : [`${path}:${line} begins with "${first}": begin with a verb or the thing's name`];
}

/** Faults of what a user reads: a description begins like a docstring, and a sentence says "is not a", not "is no". */
function messageFaults(passage: Passage): string[] {
  const { path, line, text } = passage;
  const first = /^(What|Where|Who|How|Told|So many)\b.*\.$/s.exec(text)?.[1];
  const odd = /(?<!\b[Tt]here )\b(?:is|are) no (?!longer\b|more\b|such\b)\w+/.exec(text)?.[0];
  return [
    ...phraseFaults(passage, [...banned, ...bannedInMessages]),
    ...(first === undefined ? [] : [`${path}:${line} begins with "${first}": begin with a noun or a verb`]),
    ...(odd === undefined ? [] : [`${path}:${line} says "${odd}": say "is not a" or "there is no"`]),
  ];
}

function phraseFaults(passage: Passage, phrases = banned): string[] {
  // A phrase may continue in the next line of a comment.
  const text = passage.text.replaceAll(/\n[ \t]*(?:\*|\/\/)? ?/g, (between) => '\n'.padEnd(between.length));
  const pattern = new RegExp(`\\b(?:${phrases.join('|').replaceAll(' ', '\\s+')})\\b`, 'gi');
  return [...text.matchAll(pattern)].map(
    (match) => `${place(passage, match.index)} says "${match[0].replaceAll(/\s+/g, ' ')}": say it in plain words`,
  );
}

function titleFaults({ path, line, text, completes }: Title): string[] {
  const first = /^(?:are|is|of|that|get)\b/.exec(text)?.[0];
  if (first !== undefined) return [`${path}:${line} title "${text}" begins with "${first}": it has to read on its own`];
  return !completes || /^(?:[a-z]+s\b|[%$])/.test(text)
    ? []
    : [`${path}:${line} title "${text}": begin with a verb that completes the title of its describe ("returns ...")`];
}

function sentenceFaults(passage: Passage): string[] {
  // Code counts as one word, a link counts as its text, and a cell of a table counts as a sentence.
  const text = passage.text
    .replaceAll(/`[^`]+`/g, (span) => 'c'.padEnd(span.length, 'c'))
    .replaceAll(/\]\([^)\s]*\)/g, (link) => ']'.padEnd(link.length));
  return [...text.matchAll(/\S(?:[^.!?|]|[.!?](?!["')*_\]]*(?:\s|$)))*/g)].flatMap((match) => {
    const words = match[0].match(/[\p{L}\p{N}][^\s—–/]*/gu)?.length ?? 0;
    return words > sentenceLength
      ? [`${place(passage, match.index)} sentence of ${words} words, at most ${sentenceLength} are allowed`]
      : [];
  });
}

function pathFaults(passage: Passage): string[] {
  const isPage = passage.path.endsWith('.md');
  // In a page, only code spans are paths. In a comment, any word may be one: isPath() decides by its folder or ending.
  const pattern = isPage ? /`([^`\s]+)`/g : /(?<![\w@/.:$*-])([\w.-]+(?:\/[\w.-]+)*)/g;
  return [...passage.text.matchAll(pattern)].flatMap((match) => {
    const name = match[1]!.replace(/[.:]$/, '');
    return isPath(name) && !isThere(name, dirname(passage.path))
      ? [`${place(passage, match.index)} names ${name}, which does not exist`]
      : [];
  });
}

function isPath(name: string): boolean {
  if (!/^[a-zA-Z.][\w.-]*(?:\/[\w.-]+)*\/?$/.test(name)) return false;
  if (/\w\.(?:ts|tsx|md|cjs)$/.test(name)) return true;
  const [first] = name.split('/', 1);
  // A page may name a file that readers have in their own .vscode.
  return (
    name.includes('/') &&
    !['dist', '.vscode'].includes(first!) &&
    ['src', ''].some((folder) => existsSync(join(folder, first!)))
  );
}

function isThere(name: string, folder: string): boolean {
  const endings = ['', '.ts', '.tsx', '.resolver.ts', '.test.ts'];
  const folders = ['', 'src', 'console/src', 'test', folder];
  return (
    folders.some((each) => endings.some((ending) => existsSync(join(each, `${name}${ending}`)))) ||
    // A comment may name a file of a neighbouring folder without the folder.
    (!name.includes('/') && names.has(name))
  );
}

function commitFaults(): string[] {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' });
  if (git('rev-parse', '--is-shallow-repository').trim() === 'true') return [];
  const lines = git('log', '--format=%h %s', `${base}..HEAD`)
    .split('\n')
    .filter((line) => line !== '');
  return lines.flatMap((line) => {
    const subject = line.slice(line.indexOf(' ') + 1);
    if (!/^[a-z][\w ,./-]*: \S/.test(subject)) return [`commit ${line}: begin with the area, as in "search: "`];
    return subject.length > subjectLength
      ? [`commit ${line}: ${subject.length} characters, at most ${subjectLength} are allowed`]
      : [];
  });
}

/** Comments of a file of TypeScript. */
function commentsOf(path: string): Passage[] {
  const file = parseSource(path);
  const found = new Map<number, Passage>();
  const visit = (node: ts.Node): void => {
    if (node.kind === ts.SyntaxKind.JsxText) return;
    const ranges = [
      ...(ts.getLeadingCommentRanges(file.text, node.pos) ?? []),
      ...(ts.getTrailingCommentRanges(file.text, node.end) ?? []),
    ];
    for (const { pos, end } of ranges) {
      found.set(pos, { path, line: lineOf(file.text, pos), text: file.text.slice(pos, end) });
    }
    for (const child of node.getChildren(file)) visit(child);
  };
  visit(file);
  return [...found.values()];
}

/** Messages of a file, and whatever else it writes with blanks between words: literals of more than one word, but SQL. */
function messagesOf(path: string): Passage[] {
  const file = parseSource(path);
  const found: Passage[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || (ts.isTaggedTemplateExpression(node) && node.tag.getText(file) === 'sql'))
      return;
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node) || ts.isJsxText(node)) {
      const text = node.getText(file).replaceAll(/^[\s'"`]+|[\s'"`]+$/g, '');
      if (/[a-z]\W*\s\W*[a-z]/i.test(text)) found.push({ path, line: lineOf(file.text, node.getStart(file)), text });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Titles of `describe` and `it`. */
function titlesOf(path: string): Title[] {
  const file = parseSource(path);
  const found: Title[] = [];
  const visit = (node: ts.Node, isInside: boolean): void => {
    const call = ts.isCallExpression(node) ? node : undefined;
    const kind = call && /^(describe|it|test)(?:If)?\b/.exec(call.expression.getText(file))?.[1];
    const title = kind === undefined ? undefined : call?.arguments[0];
    if (title !== undefined && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title))) {
      const text = title.getText(file).slice(1, -1);
      const completes = isInside && kind !== 'describe';
      found.push({ path, line: lineOf(file.text, title.getStart(file)), text, completes });
    }
    ts.forEachChild(node, (child) => visit(child, isInside || kind === 'describe'));
  };
  visit(file, false);
  return found;
}

/** Paragraphs, items, headings and rows of a page, without its code blocks. */
function blocksOf(path: string): Passage[] {
  const text = readFileSync(path, 'utf8').replaceAll(/^( *)```.*?^\1```$/gms, (block) => block.replaceAll(/./g, ' '));
  return [...text.matchAll(/^ *\S.*(?:\n(?! *(?:[-*|#>]|\d+\.) *)(?= *\S).*)*/gm)].map((match) => ({
    path,
    line: lineOf(text, match.index),
    text: match[0],
  }));
}

function parseSource(path: string): ts.SourceFile {
  return ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
}

function place({ path, line, text }: Passage, index: number): string {
  return `${path}:${line + lineOf(text, index) - 1}`;
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}
