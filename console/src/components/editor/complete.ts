import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';
import { aggregationKeys, aggregations, clauses, compoundKeys, fieldClauses, queryKeys, rangeKeys } from './grammar.js';

type Node = ReturnType<ReturnType<typeof syntaxTree>['resolveInner']>;

/**
 * Completes keys, clauses and fields of a query in JSON.
 * @param root whether the text is a query or a single clause.
 */
export const completeQuery =
  (fields: readonly string[], root: 'query' | 'clause') =>
  (context: CompletionContext): CompletionResult | null => {
    const node = syntaxTree(context.state).resolveInner(context.pos, -1);
    const word = context.matchBefore(/"?[\w.]*/);
    if (word === null || (word.from === word.to && !context.explicit)) return null;
    const path = pathOf(node, context.state);
    const isKey = isKeyAt(node, context.state, word.from);
    const names = isKey ? keysAt(path, fields, root) : valuesAt(path.at(-1), fields);
    if (names.length === 0) return null;
    // A quote that already follows the word is overwritten.
    const to = context.pos + (context.state.sliceDoc(context.pos, context.pos + 1) === '"' ? 1 : 0);
    return {
      from: word.from,
      to,
      filter: true,
      validFor: /^"?[\w.]*$/,
      options: names.map((name) => ({ label: `"${name}"`, type: fields.includes(name) ? 'variable' : 'keyword' })),
    };
  };

/** Returns the names of the properties around a position, the outermost first. Lists are skipped. */
const pathOf = (node: Node, state: EditorState): string[] => {
  const path: string[] = [];
  for (let at: Node | null = node; at !== null; at = at.parent) {
    if (at.name !== 'Property') continue;
    const name = at.getChild('PropertyName');
    // The name at the cursor does not enclose itself.
    if (name === null || (node.from >= name.from && node.to <= name.to)) continue;
    path.unshift(state.sliceDoc(name.from + 1, name.to - 1));
  }
  return path;
};

/** Whether a position is that of a property name: after `{` or after a comma in an object. */
const isKeyAt = (node: Node, state: EditorState, from: number): boolean => {
  if (node.name === 'PropertyName') return true;
  const before = state.sliceDoc(0, from).trimEnd().at(-1);
  if (before === '{') return true;
  let around: Node | null = node;
  while (around !== null && around.name !== 'Object' && around.name !== 'Array') around = around.parent;
  return before === ',' && around?.name === 'Object';
};

const keysAt = (path: readonly string[], fields: readonly string[], root: 'query' | 'clause'): readonly string[] => {
  const [above = '', last] = [path.at(-2), path.at(-1)];
  if (last === undefined) return root === 'query' ? queryKeys : clauses;
  if (fieldClauses.has(last) && !path.slice(0, -1).some(isAggs)) return fields;
  if (above === 'range') return rangeKeys;
  if (last === 'bool') return [...compoundKeys, 'minimum_should_match'];
  if (last === 'query' || last === 'post_filter' || compoundKeys.includes(last)) return clauses;
  if (isAggs(last)) return [];
  if (isAggs(above)) return aggregations;
  return path.some(isAggs) ? aggregationKeys : [];
};

const isAggs = (name: string) => name === 'aggs' || name === 'aggregations';

const takeFields = new Set(['field', 'fields', 'default_field', 'includes', '_source', 'sort']);

const valuesAt = (key: string | undefined, fields: readonly string[]): readonly string[] =>
  key !== undefined && takeFields.has(key) ? fields : [];
