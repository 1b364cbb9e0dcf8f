import { readFileSync } from 'node:fs';

/** A fenced code block of a page. */
export interface Block {
  /** The language, such as `sh`. */
  readonly language: string;
  /** The words after the language, which readers do not see. */
  readonly words: readonly string[];
  readonly text: string;
  /** Line on which the text begins, counted from 1. */
  readonly line: number;
}

/** Returns the code blocks of a page that are not indented, in order. */
export const blocksOf = (path: string): Block[] => {
  const page = readFileSync(path, 'utf8');
  return [...page.matchAll(/^```(\w*) ?([^\n]*)\n(.*?)^```$/gms)].map((match) => ({
    language: match[1]!,
    words: match[2]!.split(' ').filter((word) => word !== ''),
    text: match[3]!.trimEnd(),
    line: page.slice(0, match.index).split('\n').length + 1,
  }));
};

/** Placeholder in a printed answer for any value, or for further items or keys. */
const anything = '...';

/**
 * Parses an answer as a page prints it: JSON in which a bare `...` stands for any value, or for further items or keys.
 */
export const parsePrinted = (text: string): unknown => {
  const parts = text.match(/"(?:[^"\\]|\\.)*"|\.\.\.|[^".]+|\./g) ?? [];
  const open: string[] = [];
  let last = '';
  const json = parts.map((part) => {
    if (part.startsWith('"')) last = '';
    else if (part === anything) return open.at(-1) === '{' && last !== ':' ? '"...":0' : '"..."';
    else {
      for (const mark of part.replaceAll(/\s/g, '')) {
        if (mark === '{' || mark === '[') open.push(mark);
        else if (mark === '}' || mark === ']') open.pop();
        last = mark;
      }
    }
    return part;
  });
  return JSON.parse(json.join(''));
};

/**
 * Returns the expected answer: the printed one, with the actual values for its placeholders. `"..."` stands for any
 * value, `"abc..."` for a text that begins so, and `"$NAME"` for a variable, which is set when it has no value yet.
 */
export const fillIn = (printed: unknown, answer: unknown, variables: Map<string, string>): unknown => {
  if (typeof printed === 'string') return fillText(printed, answer, variables);
  if (typeof printed !== 'object' || printed === null) return printed;
  if (Array.isArray(printed)) {
    const items: unknown[] = Array.isArray(answer) ? answer : [];
    if (printed.at(-1) !== anything) return printed.map((item, index) => fillIn(item, items[index], variables));
    const shown = printed.slice(0, -1).map((item, index) => fillIn(item, items[index], variables));
    return [...shown, ...items.slice(shown.length)];
  }
  const { [anything]: hasMore, ...shown } = printed as Record<string, unknown>;
  const given = typeof answer === 'object' && answer !== null ? (answer as Record<string, unknown>) : {};
  const filled = Object.entries(shown).map(([key, value]) => [key, fillIn(value, given[key], variables)]);
  return { ...(hasMore !== undefined && given), ...Object.fromEntries(filled) };
};

const fillText = (printed: string, answer: unknown, variables: Map<string, string>): unknown => {
  if (printed === anything) return answer === undefined ? printed : answer;
  const name = /^\$([A-Z]+)$/.exec(printed)?.[1];
  if (name !== undefined && !variables.has(name) && typeof answer === 'string') variables.set(name, answer);
  const text = printed.replaceAll(/\$([A-Z]+)/g, (mark, each: string) => variables.get(each) ?? mark);
  const start = text.endsWith(anything) ? text.slice(0, -anything.length) : undefined;
  return start !== undefined && typeof answer === 'string' && answer.startsWith(start) ? answer : text;
};

/** Returns the lines of a printed text that do not follow one another in an answer. `...` stands for anything. */
export const missingLines = (printed: string, answer: string): string[] => {
  const rest = answer.split(/\r?\n/);
  return printed.split('\n').filter((line) => {
    const pattern = line.split(anything).map((part) => part.trim().replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
    const index = rest.findIndex((each) => new RegExp(`^\\s*${pattern.join('.*')}\\s*$`, 'i').test(each));
    if (index >= 0) rest.splice(0, index + 1);
    return index < 0;
  });
};
