import type { LocatedJson, TextPosition } from '#json/json.js';
import { illegalArgument, SearchFailure } from '../search-failure.js';
import type { Input } from './input.js';

/** Maximum number of characters of a name or a value of a query. */
export const maxScalarLength = 1024;

/**
 * Maximum number of characters of a query in Lucene's syntax. Dashboards write long lists of values into such queries.
 */
export const maxWrittenLength = 10_000;

/**
 * Checks that names, values and numbers of a query are not too long, and that it does not nest too deep: later parsers
 * may take more than linear time over one value. Sort values and keys of a cursor come from an answer and may have any
 * length.
 * @throws SearchFailure
 */
export const requireWithinLimits = ({ node, path }: Input): void => {
  const fault = faultIn(node, maxScalarLength, '');
  if (fault === undefined) return;
  const { line, col } = fault.at;
  const place = { line, col, path: [path, ...fault.keys.toReversed()].join('.') };
  if (fault.syntax) throw new SearchFailure(400, 'json_parse_exception', fault.message, place);
  throw illegalArgument(fault.message, place);
};

interface LimitFault {
  readonly at: TextPosition;
  readonly message: string;
  /** Whether the fault is in the JSON, as opposed to the query. */
  readonly syntax: boolean;
  /** Keys that lead to the faulty node, the innermost first. */
  readonly keys: string[];
}

/** @param around key of the object or array that contains the node */
const faultIn = (node: LocatedJson, maxLength: number, around: string): LimitFault | undefined => {
  switch (node.kind) {
    case 'fault':
      return { at: node, message: node.message, syntax: true, keys: [] };
    case 'string':
      return node.text.length > maxLength ? tooLong(node, node.text.length, maxLength) : undefined;
    case 'array':
      for (const [index, item] of node.items.entries()) {
        const fault = faultIn(item, maxLength, around);
        if (fault) return below(fault, `${index}`);
      }
      return undefined;
    case 'object':
      for (const { key, line, col, value } of node.members) {
        if (key.length > maxScalarLength) return tooLong({ line, col }, key.length, maxScalarLength);
        const fault = faultIn(value, maxLengthUnder(key, around, maxLength), key);
        if (fault) return below(fault, key);
      }
      return undefined;
    default:
      return undefined;
  }
};

const below = (fault: LimitFault, key: string): LimitFault => {
  fault.keys.push(key);
  return fault;
};

const written = new Set(['query_string', 'simple_query_string']);
const ownOfAnswers = new Set(['search_after', 'after']);

const maxLengthUnder = (key: string, around: string, maxLength: number): number => {
  if (ownOfAnswers.has(key)) return Number.POSITIVE_INFINITY;
  return key === 'query' && written.has(around) ? maxWrittenLength : maxLength;
};

const tooLong = ({ line, col }: TextPosition, length: number, maxLength: number): LimitFault => ({
  at: { line, col },
  message: `The length of a value [${length}] has exceeded the allowed maximum of [${maxLength}].`,
  syntax: false,
  keys: [],
});
